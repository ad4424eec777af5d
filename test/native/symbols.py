#!/usr/bin/env python3
"""symbols.py PORTABLE_OBJECT AVX2_OBJECT: no function of a part or a kind is in both objects under one name.

The linker keeps one of two functions of the same name. If one unit is compiled with -mavx2 and the other is not, that must not
happen to filters: all their names carry the target.
"""
import subprocess
import sys


def functions(path):
    out = subprocess.run(['nm', '-C', '--defined-only', path], check=True, capture_output=True, text=True).stdout
    return {line.split(' ', 2)[2] for line in out.splitlines() if line.split(' ', 2)[1] in 'TtWwu'}


def main():
    portable, avx2 = functions(sys.argv[1]), functions(sys.argv[2])
    named_portable = {name for name in portable if 'membrane::portable::' in name}
    named_avx2 = {name for name in avx2 if 'membrane::avx2::' in name}
    common = portable & avx2
    wrong = [name for name in common
             if any(word in name for word in ('view', 'walk', 'batch_lookup', 'line<', 'block', 'probe', 'membrane::portable', 'membrane::avx2'))]
    mixed = [name for name in portable if 'membrane::avx2::' in name] + [name for name in avx2 if 'membrane::portable::' in name]
    print(f'{len(named_portable)} functions of the portable target, {len(named_avx2)} of avx2, {len(common)} in both objects')
    for name in wrong + mixed:
        print('in both objects, or of the wrong target:', name)
    if wrong or mixed or len(named_portable) < 20 or len(named_avx2) < 20:
        sys.exit(1)


main()
