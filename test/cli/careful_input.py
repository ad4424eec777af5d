#!/usr/bin/env python3
"""How keys are read: blank lines, line ends, byte order marks, comments, malformed lines, fields, tokens, compressed files."""
import bz2
import gzip
import lzma
import os
import select
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import KEY, TOOL, check, digest, finish, must, numbers, run, scratch  # noqa: E402

scratch()
MARK = b'\xef\xbb\xbf'
plain = ('--fpr', '1e-9', '--key', KEY)
must('build', '-q', '-o', 'abc.mbr', *plain, stdin=b'a\nb\nc\n')


def builds_abc(what, stdin, *options, note=None):
    """The same file as of three plain lines; `note` is said, or nothing at all beside the usual."""
    built = must('build', '-o', 'new.mbr', '--force', *plain, *options, stdin=stdin)
    check(what, digest('new.mbr') == digest('abc.mbr'), repr(built))
    said = [line for line in built.err.splitlines() if line.startswith('membrane: input: ')]
    check(f'  says: {note}', said == ([f'membrane: input: {note}'] if note else []), repr(said))
    quiet = must('build', '-q', '-o', 'new.mbr', '--force', *plain, *options, stdin=stdin)
    check('  nothing with -q', quiet.err == '', quiet.err)


print('blank lines, line ends, byte order marks, comments')
builds_abc('plain lines', b'a\nb\nc')
builds_abc('blank lines', b'\na\n\nb\nc\n\n', note='3 blank lines left out')
builds_abc('one blank line', b'a\n\nb\nc\n', note='1 blank line left out')
builds_abc('CR LF', b'a\r\nb\r\nc\n', note='2 lines ended in CR LF, and the CR is not part of the key')
builds_abc('blank lines that end in CR LF', b'a\r\n\r\nb\nc\n',
           note='1 blank line left out; 2 lines ended in CR LF, and the CR is not part of the key')
builds_abc('a byte order mark', MARK + b'a\nb\nc\n', note='1 byte order mark left out')
builds_abc('comments', b'#one\na\n# two\nb\nc\n', '--comments', note='2 comments left out')
builds_abc('all at once', MARK + b'# list\r\n\r\na\r\nb\r\nc\r\n', '--comments',
           note='1 blank line left out; 1 comment left out; 5 lines ended in CR LF, and the CR is not part of the key; 1 byte order mark left out')
with open('with_mark', 'wb') as file:
    file.write(MARK + b'b\nc\n')
for file, content in (('one', MARK + b'a\n'), ('two', MARK + b'b\n'), ('three', b'c\n')):
    with open(file, 'wb') as out:
        out.write(content)
built = must('build', '-o', 'new.mbr', '--force', *plain, 'one', 'two', 'three')
check('a mark at the start of each file', digest('new.mbr') == digest('abc.mbr') and '2 byte order marks left out' in built.err, repr(built))

print('without --comments # is a key, a mark inside a line too; spaces are part of the key')
must('build', '-q', '-o', 'odd.mbr', *plain, stdin=b'#x\na' + MARK + b'\n  \n')
check('all three are there', run('query', 'odd.mbr', '-c', stdin=b'#x\na' + MARK + b'\n  \n').out == b'3\n')
check('and nothing else', run('query', 'odd.mbr', stdin=b'x\na\n \n').code == 1)

print('--keep-blank and --exact')
must('build', '-q', '-o', 'blank.mbr', *plain, '--keep-blank', stdin=b'a\n\n')
check('the empty key is in', run('query', 'blank.mbr', '--keep-blank', '-c', stdin=b'\r\n').out == b'1\n')
check('without --keep-blank it is not asked', run('query', 'blank.mbr', '-c', stdin=b'\n').out == b'0\n')
must('build', '-q', '-o', 'exact.mbr', *plain, '--exact', stdin=MARK + b'a\r\n\nb\n')
for key, there in ((MARK + b'a\r', True), (b'', True), (b'b', True), (b'a', False), (b'a\r', False)):
    check(f'{key!r}: {there}', (run('query', 'exact.mbr', '--exact', stdin=key + b'\n').code == 0) == there)
must('build', '-q', '-o', 'exact.mbr', '--force', *plain, '--exact', stdin='x\n'.encode('utf-16'))

print('query prints lines as they were read')
found = run('query', 'abc.mbr', stdin=MARK + b'a\r\n\r\nx\r\nc\r\n')
check('with their CR, without the mark', found.out == b'a\r\nc\r\n', repr(found))
check('and says what it left out', found.err == 'membrane: input: 1 blank line left out; 4 lines ended in CR LF, and the CR is not part of the key; 1 byte order mark left out\n', found.err)
check('not with --no-messages', run('query', 'abc.mbr', '--no-messages', stdin=b'\n').err == '')
check('blank lines are not among the absent', run('query', 'abc.mbr', '--invert', stdin=b'\nx\n').out == b'x\n')

print('an empty input')
before = digest('abc.mbr')
for stdin in (b'', b'\n\n', MARK, b'\r\n'):
    refused = run('build', '--force', '-o', 'abc.mbr', stdin=stdin)
    check(f'{stdin!r} does not replace a file', refused.code == 3 and 'standard input: no keys' in refused.err and digest('abc.mbr') == before, repr(refused))
check('comments alone neither', run('build', '--force', '-o', 'abc.mbr', '--comments', stdin=b'# a\n').code == 3)
check('--allow-empty does', run('build', '-q', '--force', '-o', 'none.mbr', '--allow-empty', stdin=b'').code == 0)
check('count build: the same', run('count', 'build', '-o', 'c.mbr', stdin=b'').code == 3 and not os.path.exists('c.mbr'))

print('malformed lines')
rows = b'x,a\nbroken\nx,b\n\nalso broken\nx,z\n'
fields = ('--delimiter', ',', '--field', '2')
found = run('query', 'abc.mbr', *fields, stdin=rows)
check('query leaves them out and goes on', found.code == 0 and found.out == b'x,a\nx,b\n', repr(found))
check('with their number and the place of the first', 'membrane: 2 malformed lines left out, the first at standard input:2: too few fields (found 1, expected field 2)' in found.err, found.err)
check('exit 1 as usual if none is present', run('query', 'abc.mbr', *fields, stdin=b'broken\nx,z\n').code == 1)
strict = run('query', 'abc.mbr', *fields, '--strict', stdin=rows)
check('--strict: exit 3, after what came before', strict.code == 3 and strict.out == b'x,a\n' and 'standard input:2: too few fields' in strict.err, repr(strict))
check('build is strict', run('build', '-o', 'r.mbr', *fields, stdin=rows).code == 3 and not os.path.exists('r.mbr'))
built = must('build', '-o', 'r.mbr', *plain, *fields, '--skip-malformed', stdin=rows)
check('--skip-malformed', '2 malformed lines left out' in built.err and run('query', 'r.mbr', '-c', stdin=b'a\nb\nz\n').out == b'3\n', built.err)
found = run('query', 'abc.mbr', '--format', 'hex', stdin=b'61\nzz\n6\n62\n')
check('hex digits', found.out == b'61\n62\n' and 'first at standard input:2: not a hexadecimal digit' in found.err, repr(found))
found = run('query', 'abc.mbr', '--format', 'u64', stdin=b'12345678123')
check('a cut integer', found.code == 1 and '1 malformed line left out, the first at standard input:2: the last record is cut off' in found.err, repr(found))
big = b''.join(b'x,%d\n' % i for i in range(200_000)) + b'broken\n' + b'x,a\n' * 100_000
for threads in ('1', '2'):
    found = run('query', 'abc.mbr', *fields, '-c', '--threads', threads, stdin=big)
    check(f'the line number in a later block, {threads} threads', found.out == b'100000\n' and 'standard input:200001:' in found.err, repr(found))

print('fields and tokens')
must('build', '-q', '-o', 'ip.mbr', *plain, stdin=b'10.0.0.1\n10.0.0.2 dns\n')
log = b'x 10.0.0.1 y\nx y 10.0.0.1\nx y z\n'
check('--field 2,3: either', run('query', 'ip.mbr', '--field', '2,3', stdin=log).out == log[:26])
check('a line that has one of them is not malformed', run('query', 'ip.mbr', '--field', '1,9', stdin=b'10.0.0.1 x\n').err == '')
check('a field between blanks, as awk has it', run('query', 'ip.mbr', '--field', '2', stdin=b'  a \t 10.0.0.1\tb\n').code == 0)
check('from the end', run('query', 'ip.mbr', '--field', '-2', stdin=b'  a \t 10.0.0.1\tb  \n').code == 0)
check('2+3: one key of two fields', run('query', 'ip.mbr', '--field', '2+3', stdin=b'x  10.0.0.2   dns\nx 10.0.0.1 y\n').out == b'x  10.0.0.2   dns\n')
must('build', '-q', '-o', 'pair.mbr', *plain, '--delimiter', ',', '--field', '1+3', stdin=b',x,a\n')
check('joined by the delimiter, an empty part too', run('query', 'pair.mbr', stdin=b',a\na\n').out == b',a\n')
check('build takes several keys of a line', ', 3 keys,' in must('build', '-o', 'two.mbr', '--field', '1,2', stdin=b'a b\nb c\n').err)
text = b'GET "http://x/" src=10.0.0.1;dst=[9.9.9.9]\nnothing here\n' + b'word ' * 5000 + b'10.0.0.1\n' + b',;,\n'
check('--each-token', run('query', 'ip.mbr', '--each-token', stdin=text).out.count(b'\n') == 2)
check('--separators', run('query', 'ip.mbr', '--each-token', '--separators', '/', stdin=b'a/10.0.0.2 dns/b\n').code == 0)

print('compressed input')
many = numbers(1, 300_000)
with open('many.gz', 'wb') as file:
    file.write(gzip.compress(many[:1_000_000]) + gzip.compress(many[1_000_000:]) + b'\0' * 512)
with open('many.zst', 'wb') as file:
    for part in (many[:1_000_000], many[1_000_000:]):
        file.write(subprocess.run(['zstd', '-c'], input=part, capture_output=True, check=True).stdout)
with open('many', 'wb') as file:
    file.write(many)
for name in ('many', 'many.gz', 'many.zst'):
    must('build', '-q', '--force', '-o', f'{name}.mbr', *plain, name)
    check(f'{name}: the same filter', digest(f'{name}.mbr') == digest('many.mbr'))
    with open(name, 'rb') as file:
        piped = run('query', 'many.mbr', '-c', stdin=file.read())
    check('  through a pipe', piped.out == b'300000\n', repr(piped))
builds_abc('a byte order mark inside', gzip.compress(MARK + b'a\nb\nc\n'), note='1 byte order mark left out')
builds_abc('nothing but a start', gzip.compress(b'a\nb\nc\n'))
def zstd_with_dictionary():
    os.mkdir('samples')
    for i in range(200):
        with open(f'samples/{i}', 'wb') as file:
            file.write(b''.join(b'http://host%d.example/%d\n' % (i % 7, j * i) for j in range(40)))
    subprocess.run(['zstd', '-q', '--train', *(f'samples/{i}' for i in range(200)), '-o', 'dictionary', '--maxdict=2000'], capture_output=True, check=True)
    return subprocess.run(['zstd', '-q', '-c', '-D', 'dictionary', 'samples/5'], capture_output=True, check=True).stdout


print('compressed in another way')
for name, program, packed in (('xz', 'xz', lzma.compress(b'a\nb\nc\n')), ('bz2', 'bzip2', bz2.compress(b'a\nb\nc\n')), ('empty.bz2', 'bzip2', bz2.compress(b'')),
                              ('lz4', 'lz4', b'\x04\x22\x4d\x18\x64\x40\xa7\0\0\0\0')):
    with open(f'keys.{name}', 'wb') as file:
        file.write(packed)
    refused = run('build', '-o', 'o.mbr', f'keys.{name}')
    check(f'{name} is refused, with the way', refused.code == 3 and f'keys.{name}: is compressed by {program}' in refused.err and
          f'`{program} -dc keys.{name} | membrane' in refused.err and not os.path.exists('o.mbr'), repr(refused))
    piped = run('query', 'many.mbr', stdin=packed)
    check('  in a pipe too', piped.code == 3 and piped.out == b'' and f'standard input: is compressed by {program}' in piped.err and f'`{program} -dc |' in piped.err, repr(piped))
    check('  but not with --exact', run('build', '-q', '--force', '-o', 'exact.mbr', '--exact', f'keys.{name}').code == 0)
refused = run('build', '-o', 'o.mbr', stdin=zstd_with_dictionary())
check('zstd with a dictionary: says so', refused.code == 3 and 'by zstd with a dictionary' in refused.err and 'zstd -dc -D' in refused.err, repr(refused))
for text in (b'BZh\n', b'BZh9\n', b'BZhA\nb\n', b'\xfd7\n', b'B\n', b'BZh91AY&S\n'):
    check(f'{text!r} is text', must('query', '-q', '-v', 'many.mbr', stdin=text).out == text)
    process = subprocess.Popen([TOOL, 'query', '-v', 'many.mbr'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(text)
    process.stdin.flush()
    ready = select.select([process.stdout], [], [], 10)[0]
    check('  and answered while the input is open', bool(ready))
    process.communicate()
check('an empty gzip file has no keys', run('build', '-o', 'e.mbr', stdin=gzip.compress(b'')).code == 3)
finish()
