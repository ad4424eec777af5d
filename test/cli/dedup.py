#!/usr/bin/env python3
"""dedup: each new key once and in order, remembered from run to run; saved at the end, by signals and by --save-every; exact about its losses."""
import json
import math
import os
import random
import re
import select
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import KEY, TOOL, check, digest, finish, must, numbers, run, scratch  # noqa: E402

scratch()


def keys_in(path):
    return json.loads(must('info', '--json', path).out)['keys']


print('new keys once, in order')
first = run('dedup', 'seen.mbr', stdin=b'b\na\nb\nc\na\n')
check('the first of each', first.code == 0 and first.out == b'b\na\nc\n', repr(first))
check('says what it did', re.fullmatch(r'membrane: seen.mbr: 3 new keys of 5 read; less than 0.01 of 3 new keys is expected to be taken for seen ones; '
                                       r'the filter holds 3 keys in [\d,]+ bytes\n', first.err), first.err)
check('and remembers them', run('dedup', '-q', 'seen.mbr', stdin=b'a\nd\nc\n').out == b'd\n')
check('nothing new: exit 0 and no change', run('dedup', 'seen.mbr', stdin=b'a\nd\n').out == b'' and keys_in('seen.mbr') == 4)
check('--repeated prints the others', run('dedup', '-q', '-d', 'seen.mbr', stdin=b'a\ne\na\ne\n').out == b'a\na\ne\n')
check('--count', run('dedup', '-q', '-c', 'seen.mbr', stdin=b'f\nf\na\n').out == b'1\n')
check('a field is the key, the line is printed', run('dedup', '-q', 'fields.mbr', '--delimiter', ',', '--field', '1', stdin=b'ann,1\nbob,2\nann,3\n').out == b'ann,1\nbob,2\n')
check('two fields are one key', run('dedup', '-q', 'two.mbr', '--delimiter', ',', '--field', '1+2', stdin=b'a,b,1\na,c,2\na,b,3\n').out == b'a,b,1\na,c,2\n')
check('several keys of a line are refused', run('dedup', 'x.mbr', '--field', '1,2', stdin=b'a b\n').code == 2 and not os.path.exists('x.mbr'))
random.seed(3)
lines = [b'%d\n' % random.randrange(200_000) for _ in range(400_000)]
wanted = b''.join(dict.fromkeys(lines))
for threads in ('1', '2'):
    found = run('dedup', '-q', f'many{threads}.mbr', '--fpr', '1e-9', '--threads', threads, '--key', KEY, stdin=b''.join(lines))
    check(f'as awk !seen[$0]++, {threads} threads', found.out == wanted)
check('the same file from any number of threads', digest('many1.mbr') == digest('many2.mbr'))
for kind in ('bloom', 'blocked_bloom', 'counting_bloom', 'rank', 'balanced_bloom', 'balanced_rank:form=erasable'):
    found = run('dedup', '-q', 'kind.mbr', '--force', '--fpr', '1e-9', '--kind', kind, '--keys', '1000', stdin=b'a\nb\na\n')
    check(f'--kind {kind}', found.out == b'a\nb\n', repr(found))
check('count_min is refused', run('dedup', 'x.mbr', '--kind', 'count_min', stdin=b'a\n').code == 2)
must('count', 'build', '-q', '-o', 'counts.mbr', stdin=b'a\n')
check('also as an existing file', run('dedup', 'counts.mbr', stdin=b'a\n').code == 2)
full = run('dedup', '-q', 'full.mbr', '--kind', 'balanced_rank:form=fixed', '--keys', '1000', stdin=numbers(1, 100_000))
check('a full filter: an error, and what was printed is remembered', full.code != 0 and 'full' in full.err and
      keys_in('full.mbr') == full.out.count(b'\n') > 900, repr(full))

print('options beside an existing file')
must('dedup', '-q', 'old.mbr', '--fpr', '1e-4', '--grow-to', '50k', '--key', KEY, '--hash', 'xxh3', stdin=b'a\n')
must('build', '-q', '-o', 'bloom.mbr', '--kind', 'bloom:k=7', '--fpr', '1%', '--keys', '1000', stdin=b'a\n')
PROMISED = json.loads(must('info', '--json', 'old.mbr').out)['promised_keys']
for path, options, said in (('old.mbr', ['--fpr', '1e-9'], '--fpr: 1e-09, but old.mbr was made for 0.01 %'),
                            ('old.mbr', ['--grow-to', '1M'], f'--grow-to: 1,000,000 keys, but old.mbr keeps its rate up to {PROMISED:,} keys'),
                            ('old.mbr', ['--grow-to', '10k'], f'--grow-to: 10,000 keys, but old.mbr keeps its rate up to {PROMISED:,} keys'),
                            ('old.mbr', ['--keys', '1M'], f'--keys: 1,000,000 keys, but old.mbr keeps its rate up to {PROMISED:,} keys'),
                            ('old.mbr', ['--kind', 'bloom'], '--kind: bloom, but old.mbr is a balanced_rank'),
                            ('old.mbr', ['--kind', 'balanced_rank:form=erasable'], '--kind: balanced_rank:form=erasable, but old.mbr has form=growable'),
                            ('old.mbr', ['--hash', 'siphash13'], '--hash: siphash13, but old.mbr has xxh3'),
                            ('old.mbr', ['--key', 'f' * 32], '--key: another key than that of the file, but old.mbr keeps its own'),
                            ('bloom.mbr', ['--kind', 'bloom:k=8'], '--kind: bloom:k=8, but bloom.mbr has k=7'),
                            ('bloom.mbr', ['--grow-to', '5k'], '--grow-to: 5,000 keys, but bloom.mbr keeps its rate up to 1,000 keys')):
    before = digest(path)
    refused = run('dedup', path, *options, stdin=b'b\n')
    check(f'{" ".join(options)} contradicts {path}', refused.code == 2 and said in refused.err and '--force' in refused.err and refused.out == b'' and
          digest(path) == before, repr(refused))
check('the key of the file is not shown', KEY not in run('dedup', 'old.mbr', '--key', 'f' * 32, stdin=b'b\n').err)
for options in (['--fpr', '0.01%'], ['--grow-to', '50k'], ['--grow-to', str(PROMISED)], ['--keys', '2k'], ['--kind', 'balanced_rank'], ['--kind', 'auto'],
                ['--kind', 'balanced_rank:form=growable'], ['--hash', 'xxh3'], ['--key', KEY], ['--fpr', '1e-4', '--grow-to', '50k', '--key', KEY, '--hash', 'xxh3']):
    agreed = run('dedup', '-q', 'old.mbr', *options, stdin=b'a\n')
    check(f'{" ".join(options)} agrees', agreed.code == 0 and agreed.err == '', repr(agreed))
must('dedup', '-q', 'old.mbr', stdin=numbers(1, 5000))
agreed = run('dedup', '-q', 'old.mbr', '--fpr', '1e-4', '--grow-to', '50k', '--kind', 'balanced_rank', stdin=b'a\n')
check('also when the file has grown', agreed.code == 0 and agreed.err == '', repr(agreed))
check('with --force nothing contradicts', run('dedup', '-q', '--force', 'old.mbr', '--fpr', '1e-9', '--hash', 'siphash13', stdin=b'a\n').out == b'a\n')

print('permissions')


def mode(path):
    return oct(os.stat(path).st_mode & 0o7777)


must('dedup', '-q', 'mode.mbr', stdin=b'a\n')
check('a new file: 600', mode('mode.mbr') == '0o600')
os.chmod('mode.mbr', 0o640)
must('dedup', '-q', 'mode.mbr', stdin=b'b\n')
check('one that is there keeps its own', mode('mode.mbr') == '0o640')
must('dedup', '-q', 'mode.mbr', '--mode', '644', stdin=b'b\n')
check('--mode changes them, without a new key too', mode('mode.mbr') == '0o644' and keys_in('mode.mbr') == 2)

print('the promise')
count, rate = 300_000, 0.02
lossy = run('dedup', 'lossy.mbr', '--fpr', str(rate), '--grow-to', str(count), '--key', KEY, stdin=numbers(1, count))
said = re.search(r'about ([\d,.]+) of ([\d,]+) new keys were taken for seen ones', lossy.err)
lost = count - lossy.out.count(b'\n')
about = float(said.group(1).replace(',', ''))
check(f'{lost} of {count} keys were lost, {about:.0f} announced', abs(lost - about) < 5 * math.sqrt(about), lossy.err)
check('the number of new keys within the error of that', abs(int(said.group(2).replace(',', '')) - count) < 5 * math.sqrt(about))
over = run('dedup', 'over.mbr', '--fpr', '1%', '--grow-to', '1k', stdin=numbers(1, 5000))
check('more keys than --grow-to: a warning', 'its rate was planned for' in over.err, over.err)

print('empty input')
check('makes an empty filter', run('dedup', 'none.mbr', stdin=b'').code == 0 and keys_in('none.mbr') == 0)
before = digest('seen.mbr')
refused = run('dedup', '--force', 'seen.mbr', stdin=b'\n')
check('--force does not replace a file', refused.code == 3 and 'no keys' in refused.err and digest('seen.mbr') == before, repr(refused))
check('unless --allow-empty', run('dedup', '-q', '--force', '--allow-empty', 'seen.mbr', stdin=b'').code == 0 and keys_in('seen.mbr') == 0)
check('--force starts afresh', run('dedup', '-q', '--force', 'many1.mbr', stdin=b'7\n').out == b'7\n' and keys_in('many1.mbr') == 1)

print('saving')


def start(*arguments, **options):
    return subprocess.Popen([TOOL, 'dedup', *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def feed(process, text, wanted):
    process.stdin.write(text)
    process.stdin.flush()
    got = b''
    while len(got) < len(wanted) and select.select([process.stdout], [], [], 5)[0]:
        got += os.read(process.stdout.fileno(), 65536)
    return got == wanted


def until(holds, seconds=5):
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
    return holds()


for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    process = start('live.mbr', '--force')
    check(f'{number.name}: a live stream', feed(process, b'a\nb\na\nhalf', b'a\nb\n'))
    process.send_signal(number)
    code = process.wait(timeout=10)
    error = process.stderr.read().decode()
    check('  ends by the signal, the filter saved', code == -number and keys_in('live.mbr') == 2 and '2 new keys' in error, f'{code} {error}')
    check('  the incomplete line is not remembered', run('query', 'live.mbr', stdin=b'half\n').code == 1)
process = start('every.mbr', '--save-every', '1000')
feed(process, numbers(1, 1500), numbers(1, 1500))
check('--save-every keys', until(lambda: keys_in('every.mbr') == 1500))
feed(process, numbers(1501, 1600), numbers(1501, 1600))
process.kill()
process.wait()
check('  killed: as it was last saved', keys_in('every.mbr') == 1500)
process = start('every.mbr', '--save-every', '0.2s')
feed(process, numbers(1501, 1600), numbers(1501, 1600))
check('--save-every time, while the input is idle', until(lambda: keys_in('every.mbr') == 1600))
feed(process, numbers(1601, 1700), numbers(1601, 1700))
check('  again', until(lambda: keys_in('every.mbr') == 1700))
process.kill()
process.wait()
for bad in ('0', '5', 'x', '0s', '-1s', '5d', '1e30s', ''):
    code = run('dedup', 'every.mbr', '--save-every', bad, stdin=b'').code
    check(f'--save-every {bad!r}: {code}', code == (0 if bad == '5' else 2))

print('one writer at a time')
process = start('shared.mbr', '--save-every', '1')
feed(process, b'a\n', b'a\n')
second = start('shared.mbr')
second.stdin.write(b'a\nb\n')
second.stdin.close()
feed(process, b'c\n', b'c\n')
time.sleep(0.2)
check('a second one waits, also between saves', second.poll() is None)
process.stdin.close()
process.wait(timeout=10)
check('and then sees all keys', second.stdout.read() == b'b\n' and second.wait(timeout=10) == 0 and keys_in('shared.mbr') == 3)
both = [start('race.mbr') for _ in range(2)]
for index, process in enumerate(both):
    process.stdin.write(numbers(index * 1000, 1999 + index * 1000))
    process.stdin.close()
printed = [process.stdout.read() for process in both]
check('two that start together print each key once', sorted(b''.join(printed).split(), key=int) == numbers(0, 2999).split() and
      all(process.wait(timeout=10) == 0 for process in both) and keys_in('race.mbr') == 3000)

print('output that fails')
before = digest('seen.mbr')
with open('/dev/full', 'wb') as device:
    failed = subprocess.run([TOOL, 'dedup', 'seen.mbr'], input=b'new\n', stdout=device, stderr=subprocess.PIPE, check=False)
check('a full device: exit 4, and the key is not remembered', failed.returncode == 4 and digest('seen.mbr') == before, failed.stderr)
process = start('head.mbr')
feed(process, b'a\nb\n', b'a\nb\n')
process.stdout.close()
check('the reader goes away while nothing comes: ends at once, what was printed is remembered', until(lambda: process.poll() == 4) and keys_in('head.mbr') == 2)
process.stdin.close()
query = subprocess.Popen([TOOL, 'query', 'head.mbr'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
query.stdin.write(b'a\n')
query.stdin.flush()
query.stdout.readline()
query.stdout.close()
check('query too', until(lambda: query.poll() == 4))
query.stdin.close()
check('- is no file to keep', run('dedup', '-', stdin=b'a\n').code == 2)
finish()
