#!/usr/bin/env bash
# lint.sh BUILD_DIR [--fix] [--quick]: runs every static check, also after one failed, and prints one line for each.
# --fix formats the files instead of checking their format; --quick leaves out cppcheck and clang-tidy, which take minutes.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
build_dir=$1
shift
fix=no
tidy=yes
for argument in "$@"; do
    case $argument in
        --fix) fix=yes ;;
        --quick) tidy=no ;;
        *)
            printf "lint: no option '%s' (--fix, --quick)\n" "$argument" >&2
            exit 2
            ;;
    esac
done
jobs=${JOBS:-2}
failed=()

check() {
    local name=$1 start=$SECONDS
    shift
    if "$@"; then
        printf 'lint: %-14s ok   (%d s)\n' "$name" $((SECONDS - start))
    else
        printf 'lint: %-14s FAILED\n' "$name"
        failed+=("$name")
    fi
}

cpp_files() {
    find include src plot report lab timing redis python cli web/wasm test fuzz bench example -type f \( -name '*.hpp' -o -name '*.h' -o -name '*.cpp' -o -name '*.cc' \) \
        -print0 2>/dev/null | sort -z
}

check_format() {
    if [[ $fix == yes ]]; then
        cpp_files | xargs -0 -r clang-format -i
    else
        cpp_files | xargs -0 -r -P "$jobs" -n 20 clang-format --dry-run --Werror
    fi
}

check_tidy() {
    # clang cannot read precompiled headers of g++. Without them it also finds missing includes.
    mkdir -p "$build_dir/lint"
    sed 's/-Winvalid-pch -include [^ ]*cmake_pch\.hxx//' "$build_dir/compile_commands.json" \
        >"$build_dir/lint/compile_commands.json"
    # Signedness: g++ leaves it out of -Wconversion for C++, see cmake/compile_options.cmake.
    find src plot report lab timing redis cli -name '*.cpp' -print0 2>/dev/null |
        xargs -0 -r -P "$jobs" -n 1 clang-tidy -p "$build_dir/lint" --quiet --extra-arg=-Wno-unknown-warning-option \
            --extra-arg=-Wno-sign-conversion 2> >(grep -v -E '^[0-9]+ warnings? generated' >&2)
}

check_cppcheck() {
    local rooms=(src report cli redis lab plot timing)
    cppcheck --enable=warning,performance,portability --std=c++20 --language=c++ -j "$jobs" --quiet --error-exitcode=1 \
        --inline-suppr --suppressions-list=tools/cppcheck_suppressions.txt --suppress=missingIncludeSystem \
        -I include -I src -I . "${rooms[@]}"
}

check_shell() {
    find dev .ci/run tools test -type f \( -name '*.sh' -o -name dev -o -name run \) -print0 | xargs -0 -r shellcheck
}

check_lengths() {
    # A warning, not an error.
    cpp_files | xargs -0 -r wc -l | awk '$2 != "total" && $1 > 400 { print "lint: warning: " $2 ": " $1 " lines" }'
}

check format check_format
check shellcheck check_shell
check layers env PYTHONDONTWRITEBYTECODE=1 python3 tools/check_layers.py .
check lengths check_lengths
check header_check cmake --build "$build_dir" -j "$jobs" --target header_check
[[ $tidy == no ]] || check cppcheck check_cppcheck
[[ $tidy == no ]] || check clang-tidy check_tidy

if ((${#failed[@]})); then
    printf 'lint: failed: %s\n' "${failed[*]}"
    exit 1
fi
printf 'lint: clean\n'
