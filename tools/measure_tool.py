#!/usr/bin/env python3
"""measure_tool.py dedup [TOOL]: the table of doc/command_line.md, `membrane dedup` beside sort and awk.
measure_tool.py query OTHER [TOOL]: lookups of ten million lines by this build and another one, in turns.

TOOL is build/bin/membrane unless it is given; --lines N takes other numbers of lines, --runs N repeats. Files are made in TMPDIR and removed.
The machine should be idle: the commands run one after the other, and nothing else should."""
import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), '..'))
KEY = '000102030405060708090a0b0c0d0e0f'


class Took:
    """Seconds of wall and processor time and the most memory, in MB, of one command."""

    def __init__(self, wall, usage, megabytes):
        self.wall = wall
        self.processor = usage.ru_utime + usage.ru_stime
        self.megabytes = megabytes


def peak_megabytes(process):
    """Of a process that runs. What the kernel says of one that has ended counts this script's own memory, from before its start."""
    try:
        with open(f'/proc/{process.pid}/status', encoding='ascii') as file:
            return max([int(line.split()[1]) * 1024 / 1e6 for line in file if line.startswith('VmHWM:')], default=0)
    except OSError:
        return 0


def timed(command, output, **options):
    """Runs a command that must end with 0 or, as grep's and query's, with 1."""
    with open(output, 'wb') as out:
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=out, **options)
        peak, ended = 0, 0
        while not ended:
            time.sleep(0.01)
            peak = max(peak, peak_megabytes(process))
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        took = Took(time.monotonic() - start, usage, peak)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f'{command}: ended with {process.returncode}')
    return took


def line_of(number):
    return b'http://host%03d.example/%06x\n' % (number % 1000, number)


def write_lines(path, numbers):
    with open(path, 'wb') as file:
        file.writelines(map(line_of, numbers))
    with open(path, 'rb') as file:  # so that the first command does not find the file colder than the others
        while file.read(1 << 24):
            pass


def count_lines(path):
    with open(path, 'rb') as file:
        return sum(part.count(b'\n') for part in iter(lambda: file.read(1 << 24), b''))


def measure_dedup(tool, lines, runs):
    """Each of lines / 2 keys twice, shuffled: 30 bytes a line."""
    numbers = [number for number in range(lines // 2) for _ in range(2)]
    random.Random(1).shuffle(numbers)
    write_lines('lines.txt', numbers)
    different = lines // 2
    sort = dict(os.environ, LC_ALL='C')
    commands = [('membrane dedup', [tool, 'dedup', '--force', 'seen.mbr', 'lines.txt'], None),
                (f'membrane dedup --fpr 1% --grow-to {different}', [tool, 'dedup', '--force', '--fpr', '1%', '--grow-to', str(different), 'seen.mbr', 'lines.txt'], None),
                ('LC_ALL=C sort -u', ['sort', '-u', 'lines.txt'], sort),
                ("awk '!seen[$0]++'", ['awk', '!seen[$0]++', 'lines.txt'], None)]
    print(f'{lines:,} lines, {different:,} different, {os.path.getsize("lines.txt") / 1e6:.0f} MB; {runs} runs, medians\n')
    print('| command | time | memory | lost |\n|---|---|---|---|')
    for name, command, environment in commands:
        took, lost, said = [], set(), b''
        for _ in range(runs):
            with open('said.txt', 'wb') as error:
                took.append(timed(command, 'out.txt', stderr=error, env=environment))
            lost.add(different - count_lines('out.txt'))
            with open('said.txt', 'rb') as error:
                said = error.read()
        announced = said.split(b'read; ')[1].split(b' new keys')[0].decode() if b'read; ' in said else 'nothing'
        print(f'| `{name}` | {statistics.median(each.wall for each in took):.1f} s | {max(each.megabytes for each in took):.0f} MB '
              f'| {" and ".join(f"{each:,}" for each in sorted(lost))} of {different:,}, announced: {announced} |', flush=True)


def measure_query(tool, other, lines, runs):
    """A filter of `lines` keys; half of the lines asked are in it."""
    write_lines('keys.txt', range(lines))
    write_lines('asked.txt', random.Random(2).sample(range(2 * lines), lines))
    subprocess.run([tool, 'build', '-q', '-o', 'f.mbr', '--key', KEY, 'keys.txt'], check=True)
    print(f'{lines:,} lines asked, {lines:,} keys; {runs} runs of each in turns; medians of this build / the other one\n')
    print('| options | seconds | ratio of wall time | ratio of processor time |\n|---|---|---|---|')
    for options in ([], ['-v'], ['--threads', '1'], ['-c']):
        ours, theirs = [], []
        for _ in range(runs):
            for binary, times in ((tool, ours), (other, theirs)):
                times.append(timed([binary, 'query', 'f.mbr', *options, 'asked.txt'], f'out-{len(times) % 2}-{binary == tool}.txt'))
        with open('out-0-True.txt', 'rb') as a, open('out-0-False.txt', 'rb') as b:
            if a.read() != b.read():
                sys.exit(f'the two builds answer differently: query {" ".join(options)}')

        def median(times, what):
            return statistics.median(getattr(each, what) for each in times)
        print(f'| `{" ".join(options) or "none"}` | {median(ours, "wall"):.2f} / {median(theirs, "wall"):.2f} | '
              f'{median(ours, "wall") / median(theirs, "wall"):.2f} | {median(ours, "processor") / median(theirs, "processor"):.2f} |', flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('what', choices=('dedup', 'query'))
    parser.add_argument('tools', nargs='*', help='query: the other build; then this one')
    parser.add_argument('--lines', type=int, default=10_000_000)
    parser.add_argument('--runs', type=int, default=0, help='3 for dedup, 9 for query')
    asked = parser.parse_args()
    tools = [os.path.realpath(each) for each in asked.tools]
    needed = 1 if asked.what == 'query' else 0
    if not needed <= len(tools) <= needed + 1:
        parser.error('query needs another build of the tool' if needed else 'dedup takes one tool at most')
    tool = tools[needed] if len(tools) > needed else os.path.join(SOURCE, 'build/bin/membrane')
    with tempfile.TemporaryDirectory(prefix='membrane-measure-') as folder:
        os.chdir(folder)
        if asked.what == 'dedup':
            measure_dedup(tool, asked.lines, asked.runs or 3)
        else:
            measure_query(tool, tools[0], asked.lines, asked.runs or 9)
        os.chdir('/')


if __name__ == '__main__':
    main()
