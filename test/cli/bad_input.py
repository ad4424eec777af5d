#!/usr/bin/env python3
"""Every kind of bad input: its exit code, a message that says what, where and what to do, and no file touched or left."""
import gzip
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import KEY, TOOL, Outcome, check, finish, folder_state, must, numbers, run, scratch  # noqa: E402

scratch()
USAGE, BAD_DATA, IO, REFUSED = 2, 3, 4, 5

must('build', '-q', '-o', 'good.mbr', '--kind', 'bloom', '--keys', '1000', '--key', KEY, stdin=numbers(1, 1000))
must('build', '-q', '-o', 'other_key.mbr', '--kind', 'bloom', '--keys', '1000', stdin=numbers(1, 1000))
must('build', '-q', '-o', 'larger.mbr', '--kind', 'bloom', '--keys', '2000', '--key', KEY, stdin=numbers(1, 1000))
must('build', '-q', '-o', 'other_hash.mbr', '--kind', 'bloom', '--keys', '1000', '--key', KEY, '--hash', 'xxh3', stdin=numbers(1, 1000))
must('build', '-q', '-o', 'counting.mbr', '--kind', 'counting_bloom', '--keys', '1000', '--key', KEY, stdin=numbers(1, 1000))
must('build', '-q', '-o', 'all.mbr', '--kind', 'bloom:k=3', '--keys', '2000', '--hash', 'xxh3', stdin=numbers(1, 1000))
must('build', '-q', '-o', 'probes.mbr', '--kind', 'bloom:probes=independent,size_bits=9600,k=7', '--key', KEY, stdin=numbers(1, 1000))
must('build', '-q', '-o', 'probes2.mbr', '--kind', 'bloom:probes=double,size_bits=9600,k=7', '--key', KEY, stdin=numbers(1, 1000))
must('build', '-q', '-o', 'grows.mbr', '--key', KEY, stdin=numbers(1, 1000))
good = open('good.mbr', 'rb').read()


def write(name, data):
    with open(name, 'wb') as file:
        file.write(data)
    return name


write('keys', numbers(1, 10))
write('empty', b'')
write('text.mbr', b'this is no filter, but it is long enough to be one' * 10)
write('png.mbr', b'\x89PNG\r\n\x1a\n' + b'\0' * 500)
write('header_only.mbr', good[:192])
write('half_header.mbr', good[:100])
write('short.mbr', good[:-1])
write('long.mbr', good + b'\0')
for offset in (8, 16, 40, 72, 100, 190, 192, len(good) - 1):
    write(f'flipped_{offset}.mbr', good[:offset] + bytes([good[offset] ^ 1]) + good[offset + 1:])
write('version.mbr', good[:8] + b'\x63' + good[9:])
write('cut.u64', b'12345678123')
write('bad.hex', b'00\n0g\n')
write('odd.hex', b'00\n000\n')
write('fields', b'a,b\nc\n')
write('utf16', 'a\nb\n'.encode('utf-16'))
packed = gzip.compress(numbers(1, 10000), mtime=0)
write('cut.gz', packed[:-5])
write('bad.gz', packed[:100] + b'\xff' * 100 + packed[200:])
packed = subprocess.run(['zstd', '-c'], input=numbers(1, 10000), capture_output=True, check=True).stdout
write('cut.zst', packed[:-5])
write('bad.zst', packed[:100] + b'\xff' * 100 + packed[200:])
write('packed.pack', b'\x89MBP\r\n\x1a\n' + b'\n' * 500)
os.mkdir('folder')
os.mkfifo('pipe')
must('build', '-q', '-o', 'choice.mbr', '--kind', 'choice_bloom:choices=2', 'keys')
state = folder_state()

CASES = [
    ('an unknown command', ['bild'], USAGE, "no command 'bild', did you mean 'build'.; see"),
    ('a command like no other', ['zzzzz'], USAGE, "no command 'zzzzz' .expected plan, build, query"),
    ('an option before its command', ['--fpr', '1%', 'build'], USAGE, "--fpr stands before 'build'; options follow their command; see"),
    ('no command of count', ['count'], USAGE, 'a command is needed: build, add, query, top, merge, info; see `membrane count --help`'),
    ('exchanged letters', ['count', 'tpo'], USAGE, "no command 'tpo', did you mean 'top'.; see `membrane count --help`"),
    ('one file to merge', ['merge', '-o', 'new.mbr', 'good.mbr'], USAGE, 'F.mbr: give at least 2, not 1; see'),
    ('an option without its value', ['build', '-o', 'new.mbr', '--fpr'], USAGE, '--fpr: needs a value, P; see'),
    ('a mistyped command', ['qurey'], USAGE, "no command 'qurey', did you mean 'query'.*--help"),
    ('a mistyped command of count', ['count', 'toop'], USAGE, "no command 'toop', did you mean 'top'"),
    ('a mistyped option', ['build', '--forse', '-o', 'new.mbr', 'keys'], USAGE, "not understood: --forse, did you mean '--force'"),
    ('a mistyped kind', ['build', '-o', 'new.mbr', '--kind', 'blom', 'keys'], USAGE, "no kind 'blom', did you mean 'bloom'.; see"),
    ('a mistyped parameter', ['build', '-o', 'new.mbr', '--kind', 'bloom:prober=double', 'keys'], USAGE, "no parameter 'prober', did you mean 'probes'.; see"),
    ('headroom for a known number', ['build', '-o', 'new.mbr', '--headroom', '20%', '--keys', '9', 'keys'], USAGE, '--headroom'),
    ('JSON and a filter on one output', ['build', '-o', '-', '--json', 'keys'], USAGE, 'standard output is already the file'),
    ('help of no command', ['help', 'bild'], USAGE, "no command 'bild', did you mean 'build'"),
    ('an unknown option', ['build', '--bogus', '-o', 'new.mbr', 'keys'], USAGE, '--bogus.*--help'),
    ('no output named', ['build', 'keys'], USAGE, '--output is required'),
    ('an empty output name', ['build', 'keys', '-o', ''], USAGE, 'name is empty'),
    *[(f'--fpr {rate}', ['build', '-o', 'new.mbr', '--fpr', rate, 'keys'], USAGE, f"--fpr: '{rate}', expected a rate above 0 and below 1")
      for rate in ('0', '1', '-0.1', '1.5', '100%', '0%', 'nan', 'inf', '-inf', 'abc', '0.1x', '1e', '')],
    *[(f'--keys {count}', ['build', '-o', 'new.mbr', f'--keys={count}', 'keys'], USAGE, '--keys.*expected a number')
      for count in ('-1', '1.5', '10X', '1e30', 'many')],
    *[(f'--bits-per-key {bits}', ['build', '-o', 'new.mbr', '--bits-per-key', bits, 'keys'], USAGE, 'bits.per.key')
      for bits in ('0', '-3', 'nan', '1e9')],
    ('rate and size together', ['build', '-o', 'new.mbr', '--fpr', '1%', '--bits-per-key', '8', 'keys'], USAGE, 'excludes'),
    ('a size of more than 2^56 bits', ['build', '-o', 'new.mbr', '--kind', 'bloom', '--keys', '1e18', 'keys'], USAGE, 'size does not fit.*fewer keys'),
    ('a size past 64 bits', ['build', '-o', 'new.mbr', '--kind', 'count_min:width=1T', 'keys'], USAGE, 'width.*1 to'),
    ('a filter larger than --max-bytes', ['build', '-o', 'new.mbr', '--keys', '1M', '--max-bytes', '10K', 'keys'], REFUSED,
     r'needs 1\.\d+ MB.*allowed are 10\.0 kB.*--max-bytes'),
    ('sized by its input, larger than --max-bytes', ['build', '-o', 'new.mbr', '--fpr', '1e-9', '--max-bytes', '50', 'keys'], REFUSED, 'needs .*allowed are'),
    ('a filter larger than the memory', ['build', '-o', 'new.mbr', '--keys', '1e14', 'keys'], IO, 'out of memory.*needs .* TB'),
    ('a sketch larger than the memory', ['count', 'build', '-o', 'new.mbr', '--eps', '1e-11', 'keys'], IO, 'out of memory.*needs'),
    ('an unknown kind', ['build', '-o', 'new.mbr', '--kind', 'cuckoo', 'keys'], USAGE, "no kind 'cuckoo' .expected auto, bloom"),
    ('an unknown parameter', ['build', '-o', 'new.mbr', '--kind', 'bloom:bits=3', 'keys'], USAGE, "no parameter 'bits' .expected size_bits, k"),
    ('a parameter out of range', ['build', '-o', 'new.mbr', '--kind', 'bloom:k=65', 'keys'], USAGE, 'k .found .65., expected 1 to 64'),
    ('an unknown choice', ['build', '-o', 'new.mbr', '--kind', 'bloom:probes=triple', 'keys'], USAGE, 'triple.*independent, double'),
    ('parameters that contradict', ['build', '-o', 'new.mbr', '--kind', 'blocked_bloom:block_bits=300', 'keys'], USAGE, '256 or 512'),
    ('an unknown hash', ['build', '-o', 'new.mbr', '--hash', 'md5', 'keys'], USAGE, 'siphash13'),
    ('a hash of older files', ['build', '-o', 'new.mbr', '--hash', 'mix', 'keys'], USAGE, 'expected siphash13.xxh3.fold'),
    ('a short hash key', ['build', '-o', 'new.mbr', '--key', 'abc', 'keys'], USAGE, '32 hexadecimal digits'),
    ('field 0', ['build', '-o', 'new.mbr', '--delimiter', ',', '--field', '0', 'keys'], USAGE, '--field'),
    ('a long delimiter', ['build', '-o', 'new.mbr', '--delimiter', 'ab', '--field', '1', 'keys'], USAGE, 'one byte'),
    ('a delimiter without a field', ['build', '-o', 'new.mbr', '--delimiter', ',', 'keys'], USAGE, '--field'),
    ('too many fields', ['build', '-o', 'new.mbr', '--field', ','.join(['1'] * 65), 'keys'], USAGE, '--field'),
    ('tokens and a field', ['build', '-o', 'new.mbr', '--field', '1', '--each-token', 'keys'], USAGE, 'excludes'),
    ('separators that end in a backslash', ['build', '-o', 'new.mbr', '--each-token', '--separators', ',\\', 'keys'], USAGE, 'separators'),
    ('tokens of integers', ['build', '-o', 'new.mbr', '--format', 'u64', '--each-token', 'keys'], USAGE, 'u64'),
    ('fields of integers', ['build', '-o', 'new.mbr', '--format', 'u64', '--delimiter', ',', '--field', '1', 'keys'], USAGE, 'u64'),
    ('the input as output', ['build', '--force', '-o', 'keys', 'keys'], USAGE, 'input and the output'),
    ('a query without a filter', ['query'], USAGE, 'F.mbr is required'),
    ('standard input as filter and keys', ['query', '-'], USAGE, 'standard input: cannot be read twice'),
    ('too many filters', ['query', *(['-f', 'good.mbr'] * 65)], USAGE, '65 filters, expected at most 64'),
    ('several filters of a server', ['query', '-f', 'a', '-f', 'b', '--redis', 'localhost:1'], USAGE, 'one filter at a time'),
    *[(f'{command} changes standard input', [command, '-', 'keys'], USAGE, 'standard input: .*; name a file$') for command in ('add', 'remove', 'improve')],
    ('shrink changes standard input', ['shrink', '-', '--fit'], USAGE, 'standard input: .*; name a file, or give --output$'),
    *[(f'{command} of standard input', [command, '-', 'keys'], USAGE, 'standard input: .*needs a file; name one') for command in ('dedup', )],
    ('removing from a kind that cannot', ['remove', 'good.mbr', 'keys'], USAGE, 'cannot be removed.*bloom, expected counting_bloom'),
    ('counts of a kind that does not count', ['count', 'query', 'good.mbr', 'keys'], USAGE, 'does not count .bloom'),
    ('one filter to merge', ['merge', '-o', 'new.mbr', 'good.mbr'], USAGE, '2'),
    ('an unknown model', ['model', 'multilevel'], USAGE, "no model 'multilevel', did you mean 'multi_level'.; .membrane model"),
    ('a model far from any', ['model', 'xyzzy'], USAGE, "no model 'xyzzy' .expected lower_bound"),
    ('an unknown parameter of a model', ['model', 'bloom', 'bits=8'], USAGE, "no parameter 'bits'.*usage: membrane model bloom n= m= .k="),
    ('no parameter of a model', ['model', 'bloom', '8'], USAGE, "'8' is not PARAMETER=VALUE.*usage"),
    ('a missing parameter of a model', ['model', 'bloom', 'n=8'], USAGE, 'm= has no value .expected a whole number, 1 to'),
    *[(f'a model with {text}', ['model', 'bloom', 'm=100', text], USAGE, f'{text}: .*expected a whole number, 1 to 1e.12')
      for text in ('n=', 'n=nan', 'n=inf', 'n=-1', 'n=0', 'n=1.5', 'n=1e13', 'n=1x', 'n=1,2')],
    ('a model with an unknown choice', ['model', 'balanced_bloom', 'bits_per_key=16', 'rule=dice'], USAGE, 'rule=dice: .*load.coin.flag.flag_coin'),
    ('a model outside its domain', ['model', 'multi_level', 'a=3', 'd=2', 'r=8'], USAGE, 'value out of range: a; .*below d'),
    ('an unknown shell', ['completion', 'tcsh'], USAGE, 'bash'),

    ('a cut record', ['build', '-o', 'new.mbr', '--format', 'u64', 'cut.u64'], BAD_DATA, 'cut.u64:2: .*3 bytes, expected 8'),
    ('no key', ['build', '-o', 'new.mbr', 'empty'], BAD_DATA, 'empty: no keys.*--allow-empty'),
    ('no key for a file that is there', ['build', '--force', '-o', 'good.mbr', 'empty'], BAD_DATA, 'empty: no keys'),
    ('no key to count', ['count', 'build', '-q', '-o', 'new.mbr', 'empty'], BAD_DATA, 'empty: no keys'),
    ('no key to send', ['push', 'empty', '--redis', 'localhost:1', '--name', 'n', '--dry-run'], BAD_DATA, 'empty: no keys'),
    ('UTF-16', ['build', '-o', 'new.mbr', 'utf16'], BAD_DATA, 'utf16: is UTF-16 text.*iconv.*--exact'),
    ('cut gzip data', ['build', '-o', 'new.mbr', 'cut.gz'], BAD_DATA, 'cut.gz: the compressed data is cut off'),
    ('cut zstd data', ['build', '-o', 'new.mbr', 'cut.zst'], BAD_DATA, 'cut.zst: the compressed data is cut off'),
    ('damaged gzip data', ['build', '-o', 'new.mbr', 'bad.gz'], BAD_DATA, 'bad.gz: damaged gzip data'),
    ('damaged zstd data', ['build', '-o', 'new.mbr', 'bad.zst'], BAD_DATA, 'bad.zst: damaged zstd data'),
    ('a bad hex digit', ['build', '-o', 'new.mbr', '--format', 'hex', 'bad.hex'], BAD_DATA, 'bad.hex:2: not a hexadecimal digit .*column 2'),
    ('an odd hex line', ['build', '-o', 'new.mbr', '--format', 'hex', 'odd.hex'], BAD_DATA, 'odd.hex:2: an odd number'),
    ('too few fields', ['build', '-o', 'new.mbr', '--delimiter', ',', '--field', '2', 'fields'], BAD_DATA, 'fields:2: too few fields .found 1, expected field 2'),
    ('too few fields from the end', ['add', 'good.mbr', '--delimiter', ',', '--field', '-2', 'fields'], BAD_DATA, 'fields:2: too few fields'),
    ('merging another kind', ['merge', '-o', 'new.mbr', 'good.mbr', 'counting.mbr'], REFUSED, 'counting.mbr: .*good.mbr.*kind differs .found counting_bloom, expected bloom'),
    ('merging another size', ['merge', '-o', 'new.mbr', 'good.mbr', 'larger.mbr'], REFUSED, r'larger.mbr: .*size_bits differs .found \d+, expected \d+'),
    ('merging other probes', ['merge', '-o', 'new.mbr', 'probes.mbr', 'probes2.mbr'], REFUSED, 'probes differs .found double, expected independent'),
    ('merging another hash', ['merge', '-o', 'new.mbr', 'good.mbr', 'other_hash.mbr'], REFUSED, 'hash differs .found xxh3, expected siphash13'),
    ('merging what differs in everything', ['merge', '-o', 'new.mbr', 'good.mbr', 'all.mbr'], REFUSED,
     'all.mbr: is unlike good.mbr: size_bits differs .*, k differs .*, hash differs .*, hash key differs; build it with --kind bloom:size_bits=.*,k=.* --hash siphash13 --key HEX .`membrane info --show-key good.mbr`'),
    ('merging a filter that does not grow into one that does', ['merge', '-o', 'new.mbr', 'grows.mbr', 'good.mbr'], REFUSED,
     'good.mbr: is unlike grows.mbr: kind differs .found bloom, expected balanced_rank.*; build it with the same --grow-to and --fpr, --kind balanced_rank:form=growable$'),
    ('merging another hash key', ['merge', '-o', 'new.mbr', 'good.mbr', 'other_key.mbr'], REFUSED, 'hash key differs.*--key'),

    ('a missing key file', ['build', '-o', 'new.mbr', 'keys', 'nosuch'], IO, 'nosuch: cannot open: No such file'),
    ('a folder as key file', ['build', '-o', 'new.mbr', 'folder'], IO, 'folder: cannot read: Is a directory'),
    ('a filter as key file', ['build', '-o', 'new.mbr', 'keys', 'good.mbr'], USAGE, 'good.mbr: is a filter, not a file of keys'),
    ('a packed filter as key file', ['query', 'good.mbr', 'packed.pack'], USAGE, 'packed.pack: is a packed filter, .*membrane unpack'),
    ('a packed filter to be sent', ['push', 'packed.pack', '--redis', 'localhost:1', '--name', 'n', '--dry-run'], USAGE,
     'packed.pack: is a packed filter, .*membrane unpack'),
    ('a rate out of reach, to be sent', ['push', 'keys', '--redis', 'localhost:1', '--name', 'n', '--dry-run', '--fpr', '1e-17'], USAGE, 'fpr'),
    ('two filters to be sent', ['push', 'good.mbr', 'good.mbr', '--redis', 'localhost:1', '--name', 'n', '--dry-run'], USAGE, 'good.mbr: is a filter'),
    *[(f'--rounds {rounds}', ['improve', 'choice.mbr', 'keys', '--rounds', rounds], USAGE, '--rounds') for rounds in ('0', '1e18', '1e6')],
    ('an existing output', ['build', '-o', 'good.mbr', 'keys'], REFUSED, 'good.mbr: exists; use --force'),
    ('an existing output of count', ['count', 'build', '-o', 'good.mbr', 'keys'], REFUSED, 'good.mbr: exists; use --force'),
    ('an existing output of merge', ['merge', '-o', 'good.mbr', 'good.mbr', 'good.mbr'], REFUSED, 'good.mbr: exists; use --force'),
    ('a folder as output', ['build', '-o', 'folder', '--force', 'keys'], IO, 'folder: .*Is a directory'),
    ('a missing folder', ['build', '-o', 'nosuch/new.mbr', 'keys'], IO, 'nosuch/new.mbr: .*No such file or directory'),
    ('a file as folder', ['build', '-o', 'keys/new.mbr', 'keys'], IO, 'keys/new.mbr: .*Not a directory'),
    ('a device as output', ['build', '-o', '/dev/null', '--force', 'keys'], IO, 'not a regular file'),
]
for command in (['query'], ['add'], ['remove'], ['info'], ['verify'], ['count', 'query'], ['count', 'top']):
    keys = ['keys'] if command[-1] in ('query', 'add', 'remove') else []
    name = ' '.join(command)
    CASES += [
        (f'{name}: a missing filter', [*command, 'nosuch.mbr', *keys], IO, 'nosuch.mbr: cannot open: No such file'),
        (f'{name}: a folder', [*command, 'folder', *keys], IO, 'folder: cannot (open|lock): Is a directory'),
        (f'{name}: a pipe', [*command, 'pipe', *keys], IO, 'pipe: cannot map: it is not a regular file'),
        (f'{name}: a device', [*command, '/dev/null', *keys], IO, '/dev/null: cannot map: it is not a regular file'),
        (f'{name}: an empty file', [*command, 'empty', *keys], BAD_DATA, 'empty: truncated.*found 0'),
        (f'{name}: text', [*command, 'text.mbr', *keys], BAD_DATA, 'text.mbr: not a membrane file.*membrane build'),
    ]
for name, pattern in (('png.mbr', 'not a membrane file'), ('header_only.mbr', 'truncated'), ('half_header.mbr', 'truncated'),
                      ('short.mbr', r'truncated.*found \d+, expected \d+'), ('long.mbr', 'bytes after the end'), ('version.mbr', ''),
                      *((f'flipped_{offset}.mbr', 'corrupt|not known|truncated') for offset in (8, 16, 40, 72, 100, 190, 192, len(good) - 1))):
    CASES += [(f'{command}: {name}', [command, name, *(['keys'] if command != 'verify' else [])], BAD_DATA, f'{name}: .*{pattern}')
              for command in ('query', 'add', 'verify')]

for what, arguments, code, pattern in CASES:
    outcome = run(*arguments, stdin=b'1\n')
    message = outcome.err.strip()
    holds = (outcome.code == code and message.startswith('membrane: ') and re.search(pattern, message) and '\n' not in message
             and outcome.out == b'')
    check(f'{what}: exit {code}', bool(holds), repr(outcome))
    if folder_state() != state:
        check(f'{what}: no file touched or left', False, str(set(folder_state().items()) ^ set(state.items())))
        break
check(f'{len(CASES)} cases touched and left no file', folder_state() == state)

print('output is checked before the input is read')
process = subprocess.Popen([TOOL, 'build', '-o', 'good.mbr'], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
try:
    check('build ends while its input is still open', process.wait(timeout=20) == REFUSED)
finally:
    process.kill()
    process.communicate()

print('good keys before a bad line are still answered')
partly = run('query', 'good.mbr', '--strict', '--format', 'lines', '--delimiter', ',', '--field', '2', stdin=b'x,5\nx,6\nbroken\n')
check('printed, then exit 3', partly.out == b'x,5\nx,6\n' and partly.code == BAD_DATA, repr(partly))

if os.geteuid() == 0:
    def become_nobody():
        os.setgid(65534)
        os.setuid(65534)
else:
    become_nobody = None
print('without permission')
os.chmod('.', 0o755)
os.chmod('keys', 0)
os.chmod('larger.mbr', 0)
for arguments, pattern in ((['query', 'good.mbr', 'keys'], 'keys: cannot open: Permission denied'),
                           (['query', 'larger.mbr'], 'larger.mbr: cannot open: Permission denied'),
                           (['add', 'good.mbr'], 'good.mbr: cannot write into its directory: Permission denied') if become_nobody else
                           (['info', 'larger.mbr'], 'Permission denied')):
    outcome = Outcome(subprocess.run([TOOL, *arguments], input=b'1\n', capture_output=True, check=False, preexec_fn=become_nobody))
    check(' '.join(arguments), outcome.code == IO and re.search(pattern, outcome.err), repr(outcome))
finish()
