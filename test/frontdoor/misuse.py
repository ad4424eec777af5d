#!/usr/bin/env python3
"""misuse.py INCLUDE_FOLDER COMPILER...: programs with a mistake do not compile, or with a warning, and the message says what to do.

Each case is the body of a function in a program that includes the whole library. A case gives a part of the message, how many lines of
errors and notes the compiler may print, and how many in all, with those that only say which file includes which, or repeat the program.

A compiler that is not installed fails the test, unless MEMBRANE_MISUSE_WITHOUT names it.
"""
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile

HEADING = '''
struct user { int id; };
struct point { int x, y; };
inline auto membrane_key(const point& p) { return std::tuple(p.x, p.y); }
enum class colour { red, green };
'''

FILTER = 'membrane::filter seen(1000, 0.01);'
BLOCKED = 'membrane::blocked_bloom_filter blocked(1000, 0.01);'
NO_KEY = 'membrane: no key: pass an integer, an enum, text, bytes, or a pair, tuple or array of them; write `auto membrane_key'
NO_RATE = 'a whole number is no rate: write 0.01'
NOT_BY_KIND = 'this kind cannot: take an erasable filter, or a counting one'
IGNORED = 'gnoring return value'
WHOLE = 'write 1\'000\'000'
GROWS = 'of filters that grow, as balanced_rank_filter'

# name: (body, part of the message, most lines that say something[, most lines in all])
CASES = {
    'bits per key for a rate': (f'{FILTER} membrane::filter wrong(1000, 12);', NO_RATE, 4),
    'bits per key for a rate, typed': (f'membrane::blocked_bloom_filter wrong(1\'000\'000, 12);', NO_RATE, 4),
    'bits per key for a rate, growing': (f'membrane::balanced_rank_filter wrong(1000, 12);', NO_RATE, 4),
    'bits per key for a rate, threads': (f'membrane::concurrent_blocked_bloom_filter wrong(1000, 12);', 'no rate: write 0.01', 4),
    'keys with a fraction': ('membrane::filter wrong(1e6, 0.01);', WHOLE, 4),
    'keys with a fraction, a kind': ('membrane::filter wrong("bloom", 1e6, 0.01);', WHOLE, 4),
    'keys with a fraction, typed': ('membrane::blocked_bloom_filter wrong(1e6, 0.01);', WHOLE, 4),
    'keys with a fraction, growing': ('membrane::balanced_rank_filter wrong(1e6, 0.01);', WHOLE, 4),
    'keys with a fraction, threads': ('membrane::concurrent_filter wrong(1e6, 0.01);', WHOLE, 4),
    'keys with a fraction, room for them': (f'{FILTER} seen.reserve(1e6);', 'a whole number of keys', 6),
    'a map without bits for its values': ('membrane::rank_map wrong(1000, 0.01);', 'rank_map(keys, fpr, value_bits{8})', 4),
    'a sketch of keys': ('membrane::count_min_sketch wrong(1000, 0.01);', 'count_min_sketch(error, confidence)', 4),
    'a rate beside bits per key': ('membrane::bloom_filter wrong(1000, membrane::bits_per_key(12), 0.01);', 'bits per key or a rate: leave out one of them', 4),
    'a bare number for bits per key': ('membrane::bits_per_key bits = 12;', 'bits_per_key', 5),
    'several keys as one': (f'{FILTER} seen.insert({{1, 2}});', 'use insert_many', 5),
    'a floating-point key': (f'{FILTER} seen.insert(1.5);', 'membrane: floating-point keys are refused', 5),
    'a floating-point key asked': (f'{BLOCKED} (void)blocked.may_contain(1.5f);', 'membrane: floating-point keys are refused', 5),
    'a struct without membrane_key': (f'{FILTER} seen.insert(user{{1}});', NO_KEY, 5),
    'a struct without membrane_key, typed': (f'{BLOCKED} blocked.insert(user{{1}});', NO_KEY, 5),
    'a struct without membrane_key, asked': (f'{FILTER} (void)seen.may_contain(user{{1}});', NO_KEY, 5),
    'a bool': (f'{FILTER} seen.insert(true);', NO_KEY, 5),
    'a character': (f'{FILTER} seen.insert(\'a\');', NO_KEY, 5),
    'a pointer': (f'{FILTER} int number = 0; seen.insert(&number);', NO_KEY, 5),
    'a range as one key': (f'{FILTER} std::vector<std::string> keys; seen.insert(keys);', 'use insert_many for ranges', 5),
    'structs in a range': (f'{FILTER} std::vector<user> keys; seen.insert_many(keys);', NO_KEY, 9, 30),
    'erase of a kind that cannot': (f'{BLOCKED} blocked.erase(3);', NOT_BY_KIND, 6),
    'count of a kind that cannot': (f'{BLOCKED} (void)blocked.count(3);', NOT_BY_KIND, 6),
    'erase of a set that grows': ('membrane::balanced_rank_filter set(1000, 0.01); set.erase(3);', NOT_BY_KIND, 6),
    'room in what does not grow': (f'{BLOCKED} blocked.reserve(1);', GROWS, 6),
    'less room in what does not grow': (f'{BLOCKED} blocked.shrink_to_fit();', GROWS, 6),
    'a lower rate of what does not grow': (f'{BLOCKED} (void)blocked.lower_rate(0.1);', GROWS, 6),
    'intersection of what cannot': ('membrane::balanced_rank_filter set(1000, 0.01); set &= set;', 'most cannot, bloom filters can', 6, 19),
    'an outcome ignored': (f'{FILTER} seen.insert_if_absent(3);', IGNORED, 3),
    'a refusal ignored': (f'{FILTER} seen.try_insert(3);', IGNORED, 3),
    'a refusal of many ignored': (f'{FILTER} seen.try_insert_many(std::vector<int>{{1}});', IGNORED, 3),
    'a refusal ignored, typed': (f'{BLOCKED} blocked.try_insert(3);', IGNORED, 3),
    'a refusal of the handle ignored': ('membrane::any_filter* any = nullptr; any->insert(3);', IGNORED, 3),
    'a failed save ignored': (f'{FILTER} seen.try_save("f.mbr");', IGNORED, 3),
    'a filter for its bytes': (f'{FILTER} std::vector<std::byte> bytes = seen;', 'membrane::filter', 8, 22),
    'filters of two kinds compared': (f'{BLOCKED} membrane::bloom_filter other(1000, 0.01); (void)(blocked == other);', 'operator==', 9, 35),
    'filters of two kinds merged': (f'{BLOCKED} membrane::bloom_filter other(1000, 0.01); blocked |= other;', 'only with the same kind', 6),
    'filters of two kinds merged by name': (f'{BLOCKED} membrane::bloom_filter other(1000, 0.01); blocked.merge(other);', 'only with the same kind', 6),
}
MOST_LINES_IN_ALL = 17

# The same without the mistake: that the cases fail for their mistakes and for nothing else.
RIGHT = f'''
{FILTER} {BLOCKED} membrane::bloom_filter bits(1000, membrane::bits_per_key(12));
seen.insert(1); seen.insert(point{{1, 2}}); seen.insert(colour::red); seen.insert(std::pair("a", 1)); seen.insert("text");
(void)seen.may_contain(point{{1, 2}}); blocked.insert(point{{1, 2}}); (void)blocked.may_contain(7);
std::vector<std::string> keys; seen.insert_many(keys); seen.insert(keys.begin(), keys.end()); seen.erase(3); (void)seen.count(3);
if (seen.insert_if_absent(3) && seen.try_insert(3) && blocked.try_insert(3) && seen.try_save("f.mbr")) return;
seen.reserve(2000); seen.shrink_to_fit(); (void)seen.lower_rate(0.1); bits.intersect(bits);
membrane::rank_map map(1000, 0.01, membrane::value_bits(8)); membrane::count_min_sketch sketch(0.01, 0.99);
membrane::erasable_balanced_rank_filter live(1000, 0.01); live.reserve(2000); live.erase(3); (void)live.count(3);
std::vector<std::byte> bytes = seen.to_bytes(); (void)(blocked == blocked); blocked.merge(blocked);
'''


def program(body):
    return f'{HEADING}\nvoid used();\nvoid used() {{\n{body}\n}}\n'


def message_lines(text):
    """The lines that say something: no include stacks, no excerpts of the program, no count at the end."""
    said = []
    for line in text.splitlines():
        if 'In file included from' in line or line.lstrip().startswith('from ') or ' generated.' in line:
            continue
        if ': error:' in line or ': warning:' in line or ': note:' in line or 'required from' in line or 'In instantiation' in line or 'In function' in line or 'In substitution' in line:
            said.append(line)
    return said


class compiler:
    def __init__(self, path, include, folder):
        self.path, self.folder = path, os.path.join(folder, os.path.basename(path))
        os.mkdir(self.folder)
        self.options = ['-std=c++20', f'-I{include}', '-Wall', '-Wextra']
        self.is_clang = 'clang' in subprocess.run([path, '--version'], capture_output=True, text=True, check=True).stdout
        header = os.path.join(self.folder, 'all.hpp')
        with open(header, 'w') as file:
            file.write('#include <complex.h>\n#include <string>\n#include <tuple>\n#include <utility>\n#include <vector>\n#include <membrane/membrane.hpp>\n')
        compiled = header + ('.pch' if self.is_clang else '.gch')
        subprocess.run([path, *self.options, '-x', 'c++-header', header, '-o', compiled], check=True)
        self.header = ['-include-pch', compiled] if self.is_clang else ['-include', header]

    def compile(self, number, body):
        source = os.path.join(self.folder, f'{number}.cpp')
        with open(source, 'w') as file:
            file.write(program(body))
        run = subprocess.run([self.path, *self.options, *self.header, '-fsyntax-only', source], capture_output=True, text=True)
        return run.returncode, run.stderr


def check(tool, number, name, case):
    body, part, most_lines, most_in_all = (*case, MOST_LINES_IN_ALL)[:4]
    code, text = tool.compile(number, body)
    said = message_lines(text)
    where = f'{os.path.basename(tool.path)}, {name}'
    if part == IGNORED:
        if IGNORED not in text:
            return [f'{where}: no warning']
    elif code == 0:
        return [f'{where}: compiled']
    if part not in text:
        return [f'{where}: the message has no "{part}":\n{text}']
    if len(said) > most_lines:
        return [f'{where}: {len(said)} lines, at most {most_lines} are wanted:\n' + '\n'.join(said)]
    if len(text.splitlines()) > most_in_all:
        return [f'{where}: {len(text.splitlines())} lines in all, at most {most_in_all} are wanted:\n{text}']
    return []


def main():
    include, names = sys.argv[1], sys.argv[2:]
    missing = [name for name in names if shutil.which(name) is None]
    found = sorted({shutil.which(name) for name in names if name not in missing})
    wrong = []
    if missing and os.environ.get('MEMBRANE_MISUSE_WITHOUT') != ' '.join(missing):
        wrong.append(f'not installed: {" ".join(missing)} (MEMBRANE_MISUSE_WITHOUT="{" ".join(missing)}" goes on without)')
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path in found:
            tool = compiler(path, include, folder)
            code, text = tool.compile('right', RIGHT)
            if code != 0 or message_lines(text):
                wrong.append(f'{path}: the program without a mistake: {text}')
            results = pool.map(lambda each: check(tool, each[0], *each[1]), enumerate(CASES.items()))
            for problems in results:
                wrong += problems
            print(f'{path}: {len(CASES)} mistakes')
    for problem in wrong:
        print(problem)
    sys.exit(1 if wrong or not found else 0)


if __name__ == '__main__':
    main()
