#!/usr/bin/env bash
# check_packages.sh FOLDER: installs the packages FOLDER/*.deb in a fresh Debian system, and uses them there as a stranger would: the tool,
# programs made by find_package and by pkg-config, a server that loads the module. Needs root and a network for apt.
# shellcheck disable=SC2016  # what stands in single quotes is for the shell inside
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."

((EUID == 0)) || {
    echo 'check_packages: only root can make a system to install in' >&2
    exit 4
}
packages=$(realpath "$1")
root=$packages/system
mirror=$(apt-get indextargets --format '$(SITE)' | head -n 1)
# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")

finish() {
    umount "$root/proc" 2>/dev/null || true
    rm -rf "$root"
}
trap finish EXIT

say() { printf '\n== %s\n' "$*"; }
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"; }

say "a fresh $suite"
debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$packages/system.log" 2>&1 || {
    tail "$packages/system.log" >&2
    exit 1
}
mount -t proc proc "$root/proc" 2>/dev/null || true
cp -r "$packages"/*.deb test/install/consumer README.md example/c/seen.c "$root/root/"
python3 tools/extract_readme_program.py README.md "$root/root/readme.cpp"

say 'install'
inside apt-get update -qq
inside bash -c 'apt-get install -y -qq --no-install-recommends /root/*.deb g++ cmake make pkg-config redis-server >/root/install.log 2>&1 ||
    { tail /root/install.log; exit 1; }'
inside dpkg -l membrane libmembrane1 libmembrane-dev redis-membrane | tail -n 4

say 'the tool'
inside membrane --version
inside bash -euo pipefail -c 'seq 1 100000 | membrane build -o /tmp/s.mbr --fpr 0.1%
    test "$(seq 99999 100001 | membrane query /tmp/s.mbr | head -n 2 | tr "\n" " ")" = "99999 100000 "
    membrane verify /tmp/s.mbr >/dev/null
    test -s /usr/share/man/man1/membrane.1 || test -s /usr/share/man/man1/membrane.1.gz
    test -s /usr/share/bash-completion/completions/membrane'
echo 'builds, queries, verifies'

say 'find_package'
inside bash -euo pipefail -c 'cmake -S /root/consumer -B /tmp/consumer -DWANTED_VERSION= >/dev/null
    cmake --build /tmp/consumer >/dev/null && /tmp/consumer/consumer && /tmp/consumer/consumer_headers'
say 'pkg-config'
inside bash -euo pipefail -c 'g++ -std=c++20 -O2 /root/readme.cpp $(pkg-config --cflags --libs membrane) -o /tmp/readme && /tmp/readme'

say 'the C library'
inside bash -euo pipefail -c 'gcc -std=c99 -O2 /root/seen.c $(pkg-config --cflags --libs membrane-c) -o /tmp/seen && /tmp/seen'

say 'redis-server'
inside bash -euo pipefail -c 'redis-server --port 0 --unixsocket /tmp/redis.sock --daemonize yes --loadmodule /usr/lib/membrane/membrane.so >/dev/null
    for _ in 1 2 3 4 5 6 7 8 9 10; do redis-cli -s /tmp/redis.sock ping >/dev/null 2>&1 && break; sleep 0.3; done
    test "$(redis-cli -s /tmp/redis.sock bf.add seen apple)" = 1
    test "$(redis-cli -s /tmp/redis.sock bf.exists seen apple)" = 1
    redis-cli -s /tmp/redis.sock shutdown nosave'
echo 'loads the module and answers'

say 'remove'
inside bash -c 'dpkg --purge membrane libmembrane-dev libmembrane1 redis-membrane >/dev/null && ! ls -d /usr/lib/membrane /usr/include/membrane /usr/bin/membrane 2>/dev/null'
echo 'nothing left'
say 'the packages are sound'
