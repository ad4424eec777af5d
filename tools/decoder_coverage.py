#!/usr/bin/env python3
"""Lines of the decoders that the committed corpora reach, file by file; `./dev coverage` has run the fuzzers over them.

usage: tools/decoder_coverage.py FOLDER [--missed]

A file counts for the fuzzers that are meant for it, taken together. --missed lists its lines that none of them reached. Ends with 1 if
the files of a decoder are together below LEAST per cent.
"""
import pathlib
import re
import subprocess
import sys

LEAST = 95
# What reads bytes from outside, and the fuzzers that are there for it.
DECODERS = {
    ('open_view', 'packed', 'c_bytes', 'redis_value', 'operations'): ['src/format/file_view.cpp', 'src/format/packed.cpp', 'src/format/labels.cpp',
                                                                      'src/runtime/number_files.cpp', 'src/runtime/number_streams.hpp',
                                                                      'include/membrane/kind/rank/transfer.hpp'],
    ('redis_value',): ['redis/partial_load.cpp', 'redis/chain_image.cpp', 'redis/few_numbers.cpp', 'redis/topk_sketch.cpp'],
    ('c_bytes',): ['src/c/files.cpp'],
    ('key_lines',): ['cli/input/byte_stream.cpp', 'cli/input/decompress.cpp', 'cli/input/file_start.cpp', 'cli/input/key_parser.cpp',
                     'cli/input/record_blocks.cpp'],
    ('replies',): ['cli/remote/redis_link.cpp'],
}


def tool(name):
    for each in (name, f'{name}-14'):
        if subprocess.run(['sh', '-c', f'command -v {each}'], capture_output=True, check=False).returncode == 0:
            return each
    sys.exit(f'dev: coverage: no {name}; ./dev setup clang')


def reached_lines(folder, fuzzer, files):
    """file -> {line: was it reached} by one fuzzer."""
    data = folder / f'{fuzzer}.profdata'
    subprocess.run([tool('llvm-profdata'), 'merge', '-sparse', '-o', data, folder / f'{fuzzer}.profraw'], check=True)
    report = subprocess.run([tool('llvm-cov'), 'export', '-format=lcov', f'-instr-profile={data}', folder / f'bin/fuzz_{fuzzer}', *files], check=True,
                            capture_output=True, text=True).stdout
    lines, current = {}, None
    for row in report.splitlines():
        if row.startswith('SF:'):
            current = lines.setdefault(str(pathlib.Path(row[3:]).resolve()), {})
        elif match := re.match(r'DA:(\d+),(\d+)', row):
            current[int(match[1])] = current.get(int(match[1]), False) or int(match[2]) > 0
    return lines


def main():
    folder = pathlib.Path(sys.argv[1])
    total = reached = 0
    is_enough = True
    for fuzzers, files in DECODERS.items():
        paths = {str(pathlib.Path(each).resolve()): each for each in files}
        lines = {path: {} for path in paths}
        for fuzzer in fuzzers:
            for path, found in reached_lines(folder, fuzzer, files).items():
                for line, is_reached in found.items():
                    if path in lines:
                        lines[path][line] = lines[path].get(line, False) or is_reached
        own_total, own_reached = total, reached
        for path, found in lines.items():
            if not found:
                sys.exit(f'{paths[path]}: no fuzzer has it')
            hit = sum(found.values())
            total += len(found)
            reached += hit
            print(f'{100 * hit / len(found):6.1f} %  {hit:4} of {len(found):4}  {paths[path]}  ({", ".join(fuzzers)})')
            if '--missed' in sys.argv:
                text = pathlib.Path(path).read_text().splitlines()
                for line in sorted(line for line, is_reached in found.items() if not is_reached):
                    print(f'          {line:4}: {text[line - 1].strip()}')
        share = 100 * (reached - own_reached) / (total - own_total)
        is_enough = is_enough and share >= LEAST
        print(f'{share:6.1f} %  of the lines that read what {", ".join(fuzzers)} give{"" if share >= LEAST else f": LESS THAN {LEAST} %"}')
    print(f'{100 * reached / total:.1f} % of the lines of all decoders')
    return 0 if is_enough else 1


sys.exit(main())
