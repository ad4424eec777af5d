#!/usr/bin/env python3
"""120,000 changed values into RESTORE, LOADCHUNK and LOAD of a server whose module is built with AddressSanitizer and
UndefinedBehaviorSanitizer. The module is built for it unless this is such a build already."""
import os
import subprocess
import sys

COUNT = 120000
SOURCE = os.environ['MEMBRANE_SOURCE_DIR']


def build_with_sanitizers():
    folder = os.path.join(SOURCE, 'build-asan')
    subprocess.run(['cmake', '-S', SOURCE, '-B', folder, '-G', 'Ninja', '-DMEMBRANE_BUILD_TESTS=ON', '-DMEMBRANE_SANITIZE=address,undefined',
                    '-DCMAKE_BUILD_TYPE=RelWithDebInfo', '-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1'], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(['cmake', '--build', folder, '--target', 'membrane_redis_module'], check=True, stdout=subprocess.DEVNULL)
    libraries = []
    for name in ('libasan.so', 'libubsan.so'):
        path = subprocess.run(['c++', f'-print-file-name={name}'], capture_output=True, text=True, check=True).stdout.strip()
        libraries.append(os.path.realpath(path))
    os.environ['MEMBRANE_REDIS_MODULE'] = os.path.join(folder, 'redis', 'membrane.so')
    os.environ['MEMBRANE_REDIS_PRELOAD'] = ':'.join(libraries)


def main():
    if 'MEMBRANE_REDIS_PRELOAD' not in os.environ:
        build_with_sanitizers()
    from support.hostile import Attack  # after the module is known
    from support.server import served
    with served(module_arguments=('MAX-BYTES', '4mb')) as (_, client):
        attack = Attack(client, seed=int(sys.argv[1]) if len(sys.argv) > 1 else 2)
        attack.prepare()
        before = client('DEBUG', 'DIGEST')
        attack.run(COUNT, most_bytes=60 << 20)
        assert client('DEBUG', 'DIGEST') == before
        print(f'{attack.tried} tried, {attack.accepted} accepted and used')


main()
