#!/usr/bin/env python3
"""Help at several widths, overview, help and version as commands, the bar at several widths, colours, exit code 5, headroom, completions."""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import KEY, TOOL, check, commands, finish, must, numbers, read_terminal, run, scratch  # noqa: E402

scratch()
ESCAPE = '\x1b['


def on_terminal(arguments, columns, environment=None, stdin=subprocess.DEVNULL):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack('HHHH', 50, columns, 0, 0))
    process = subprocess.Popen([TOOL, *arguments], stdin=stdin, stdout=theirs, stderr=theirs, env=dict(os.environ, TERM='xterm', **(environment or {})))
    os.close(theirs)
    shown = read_terminal(ours)
    process.wait()
    return shown.replace('\r\n', '\n')


print('help')
for columns in (60, 80, 140):
    for path in [(), ('count',), *commands()]:
        text = run(*path, '--help', env=dict(os.environ, COLUMNS=str(columns))).out.decode()
        body = text.split('\nExamples:\n')[0]
        long_lines = [line for line in body.splitlines() if len(line) > columns]
        # A name that is longer than half of the width has a line of its own.
        long_lines = [line for line in long_lines if ' ' in line.strip()]
        if long_lines:
            check(f'{" ".join(path)} --help in {columns} columns', False, str(long_lines))
    check(f'no line is longer than {columns} columns', True)
wide = run('build', '--help', env=dict(os.environ, COLUMNS='140')).out
check('more columns, fewer lines', wide.count(b'\n') < run('build', '--help', env=dict(os.environ, COLUMNS='60')).out.count(b'\n'))
shown = on_terminal(['add', '--help'], 70)
check('the width of the terminal', max(len(re.sub(r'\x1b\[\d*m', '', line)) for line in shown.split('Examples')[0].splitlines()) <= 70)
check('membrane help COMMAND', must('help', 'count', 'top').out == must('count', 'top', '--help').out and must('help').out == must('--help').out)
check('membrane version', must('version').out == must('--version').out and must('version').out.startswith(b'membrane '))
nothing = run()
check('without arguments: an overview, exit 2', nothing.code == 2 and nothing.out == b'' and 'membrane help COMMAND' in nothing.err and
      nothing.err.count('\n') < 15 and 'membrane dedup' in nothing.err, nothing.err)

print('colours')
check('on a terminal', ESCAPE in on_terminal(['add', '--help'], 80) and ESCAPE in on_terminal(['info', 'nosuch'], 80))
check('not with NO_COLOR', ESCAPE not in on_terminal(['add', '--help'], 80, {'NO_COLOR': '1'}) + on_terminal(['info', 'nosuch'], 80, {'NO_COLOR': '1'}))
check('an empty NO_COLOR means nothing', ESCAPE in on_terminal(['add', '--help'], 80, {'NO_COLOR': ''}))
check('not in a pipe', b'\x1b' not in must('add', '--help').out and '\x1b' not in run('info', 'nosuch').err)

print('the bar')
must('build', '-q', '-o', 'small.mbr', stdin=numbers(1, 100))
for columns in (60, 80, 140):
    shown = on_terminal(['verify', 'small.mbr', '--probes', '200M'], columns)
    bars = [re.sub(r'\x1b\[K', '', bar) for bar in re.findall(r'\rstrangers[^\r]*', shown)]
    check(f'{len(bars)} bars fill {columns} columns and are no wider', bars and all(columns - 12 <= len(bar) - 1 < columns for bar in bars), str([len(bar) for bar in bars]) + shown[:300])

print('exit code 5: refused')
must('build', '-q', '-o', 'full.mbr', '--fixed', '--kind', 'balanced_rank:form=fixed', '--keys', '1000', stdin=numbers(1, 900))
full = run('add', 'full.mbr', stdin=numbers(1, 100_000))
check('a full filter', full.code == 5 and 'full' in full.err, repr(full))
must('count', 'build', '-q', '-o', 'c32.mbr', '--cell-bits', '32', stdin=b'a\n')
must('build', '-q', '-o', 'x.mbr', '--kind', 'bloom', '--keys', '1000', '--key', KEY, stdin=numbers(1, 10))
must('build', '-q', '-o', 'y.mbr', '--kind', 'bloom', '--keys', '1000', stdin=numbers(1, 10))
check('filters that do not fit together', run('merge', '-o', 'z.mbr', 'x.mbr', 'y.mbr').code == 5)
for what, arguments in (('an existing output', ['build', '-o', 'x.mbr']), ('an existing patch', ['diff', 'small.mbr', 'small.mbr', '-o', 'x.mbr']),
                        ('an existing picture', ['plan', '--keys', '1k', '--plot', 'x.mbr']), ('--max-bytes of build', ['build', '-o', 'w.mbr', '--keys', '1M', '--max-bytes', '1k']),
                        ('--max-bytes of build, by the input', ['build', '-o', 'w.mbr', '--max-bytes', '100']),
                        ('--max-bytes of count build', ['count', 'build', '-o', 'w.mbr', '--max-bytes', '1k']),
                        ('--max-bytes of offline construction', ['build', '-o', 'w.mbr', '--kind', 'choice_bloom:rounds=9', '--max-bytes', '2k'])):
    refused = run(*arguments, stdin=numbers(1, 1000))
    check(what, refused.code == 5 and not os.path.exists('w.mbr'), repr(refused))
with open('x.mbr', 'rb') as file:
    damaged = file.read()[:-1]
check('damaged data stays 3', run('info', '-', stdin=damaged).code == 3)

print('--quiet')
for path in commands():
    text = must(*path, '--help').out.decode().split('\nExamples:\n')[0]
    says_something = path[-1] not in ('plan', 'info', 'compare', 'kinds', 'model', 'completion', 'help', 'version', 'top')
    check(f'{" ".join(path)}: {"has" if says_something else "says nothing beside its results, and has no"} -q', ('-q,' in text and '--quiet' in text) == says_something)
notes = b'1\r\n\n2\n'
for option in ('-q', '--quiet', '-s', '--no-messages'):
    quiet = run('query', 'small.mbr', option, stdin=notes)
    check(f'query {option}', quiet.out == b'1\r\n2\n' and quiet.err == '', repr(quiet))
check('query without it', 'blank line' in run('query', 'small.mbr', stdin=notes).err)
check('verify -q: the exit code says it', run('verify', '-q', 'small.mbr', '--members', '-', stdin=notes).out == b'' and
      run('verify', '-q', 'small.mbr', '--members', '-', stdin=b'stranger\n').out != b'')
check('count query -q', run('count', 'query', '-q', 'c32.mbr', stdin=b'a\n\n').err == '')

print('standard input by one name')
must('build', '-q', '-o', 'mix.mbr', '--kind', 'bloom', stdin=numbers(1, 10))
with open('mix.mbr', 'rb') as file:
    piped = file.read()
with open('y.mbr', 'rb') as file:
    other_key = file.read()
for arguments, stdin in ((['merge', '-o', 'w.mbr', 'x.mbr', '-'], other_key), (['merge', '-o', 'w.mbr', '-', 'x.mbr'], other_key), (['info', '-'], b'text'),
                         (['compare', 'small.mbr', '-'], piped), (['shrink', '-', '--fit', '-o', 'w.mbr'], piped), (['pack', '-', '-o', 'w.pack'], piped),
                         (['count', 'top', '-'], piped), (['count', 'info', '-'], piped), (['count', 'merge', '-o', 'w.mbr', '-', 'c32.mbr'], piped), (['unpack', '-', '-o', 'w.mbr'], b'text'),
                         (['patch', 'small.mbr', '-'], b'text'), (['query', '-', 'nosuch'], piped), (['verify', '-', '--members', '-'], piped),
                         (['dedup', '-'], b''), (['count', 'add', '-'], b'')):
    said = run(*arguments, stdin=stdin).err
    check(' '.join(arguments), said.startswith('membrane: ') and ('standard input' in said or 'nosuch' in said) and not re.search(r'(^|[ (])-:| - | -$', said.replace('membrane: ', '', 1)), said)
says = run('merge', '-o', 'w.mbr', '-', 'x.mbr', stdin=other_key).err
check('info and verify too', b'standard input' in must('info', '-', stdin=piped).out and b'standard input' in must('verify', '-', stdin=piped).out)

print('a picture on standard output')
picture = must('plan', '--keys', '1k', '--plot', '-')
check('is alone there', picture.out.startswith(b'<svg') and picture.out.rstrip().endswith(b'</svg>') and picture.out.count(b'<svg') == 1, repr(picture))
check('not with --json', run('plan', '--keys', '1k', '--plot', '-', '--json').code == 2)

print('build')
made = json.loads(must('build', '-q', '--json', '-o', 'h.mbr', '--kind', 'bloom', '--headroom', '20%', stdin=numbers(1, 1000)).out)
check('--headroom 20%', made['keys'] == 1000 and made['planned_keys'] == 1200, str(made))
check('--headroom 0.5', json.loads(must('build', '-q', '--json', '-o', 'h2.mbr', '--kind', 'bloom', '--headroom', '0.5', stdin=numbers(1, 1000)).out)['planned_keys'] == 1500)
for bad in ('0', '-1', 'x', '20%%', '1e9'):
    check(f'--headroom {bad} is refused', run('build', '-o', 'w.mbr', f'--headroom={bad}', stdin=b'1\n').code == 2)
check('--static', run('build', '-q', '-o', 's.mbr', '--static', '--kind', 'choice_bloom', stdin=numbers(1, 2000)).code == 0)
info = json.loads(must('info', '--json', 's.mbr').out)
check('  builds in rounds', info['parameters']['rounds'] > 1, str(info['parameters']))

print('completions')
bash = must('completion', 'bash').out.decode()
for words, wanted in ((['membrane', 'ded'], 'dedup'), (['membrane', 'dedup', '--sav'], '--save-every'), (['membrane', 'query', '--each'], '--each-token'),
                      (['membrane', 'build', '--head'], '--headroom'), (['membrane', 'build', '--lab'], '--label'), (['membrane', 'vers'], 'version'),
                      (['membrane', 'query', '--only'], '--only-matching')):
    script = bash + f'COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; _membrane; printf "%s\\n" "${{COMPREPLY[@]}}"'
    replied = subprocess.run(['bash', '-c', script], capture_output=True, text=True, check=False)
    check(f'bash: {" ".join(words)} -> {wanted}', replied.stdout.split() == [wanted], replied.stdout + replied.stderr)
zsh = must('completion', 'zsh').out.decode()
check('zsh: the same options', all(option in zsh for option in ('--save-every[', '--each-token[', '--headroom[', '--label[', '--only-matching[', '_membrane_dedup()')))
finish()
