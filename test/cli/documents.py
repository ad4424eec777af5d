#!/usr/bin/env python3
"""Manual page, completions, version and the table of kinds in doc/choosing.md, all made by the tool from what it knows itself."""
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import SOURCE, check, commands, finish, must, scratch  # noqa: E402

scratch()


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


print('version')
header = read(os.path.join(SOURCE, 'include/membrane/version.hpp'))
version = re.search(r'version_string\[\] = "(.*)"', header).group(1)
check('--version is that of the library', must('--version').out.decode() == f'membrane {version}\n')

COMMANDS = [' '.join(words) for words in commands()]
options = {command: sorted({name for names in re.findall(r'^  ((?:-\w,|--[\w-]+,)*--[\w-]+)', must(*command.split(), '--help').out.decode(), re.M)
                            for name in names.split(',') if name.startswith('--')})
           for command in COMMANDS}

print('manual page')
page = must('man').out.decode()
with open('membrane.1', 'w', encoding='utf-8') as file:
    file.write(page)
for section in ('NAME', 'SYNOPSIS', 'DESCRIPTION', 'COMMANDS', 'EXIT STATUS', 'ENVIRONMENT'):
    check(f'section {section}', f'\n.SH {section}\n' in page)
command_line = read(os.path.join(SOURCE, 'doc/command_line.md'))
variables = re.findall(r'^\.TP\n\\fB([A-Z_]+)\\fR$', page.split('.SH ENVIRONMENT')[1], re.M)
check('the variables of the environment, as in doc/command_line.md', len(variables) == 5 and
      variables == re.findall(r'^\| `([A-Z_]+)` \|', command_line.split('## Environment')[1], re.M), str(variables))
codes = re.findall(r'(?:^|; )(\d) ', page.split('.SH EXIT STATUS')[1].split('.SH')[0].replace('Exit status: ', '').strip(), re.M)
check('the exit codes, as in doc/command_line.md', codes == list('012345') == re.findall(r'^\| (\d) \|', command_line.split('## Exit status')[1], re.M), str(codes))
for command in COMMANDS:
    part = page.split(f'.SS "membrane {command}"\n')
    check(f'{command}: all its options', len(part) == 2 and all(name.replace('-', '\\-') in re.split(r'^\.S[SH]', part[1], flags=re.M)[0]
                                                               for name in options[command]))
check('no line that roff would take for a request by accident', not re.search(r"^(\.(?!TH|SH|SS|TP|PP|nf|fi|RS|RE|br)|')", page, re.M))
if shutil.which('groff'):
    done = subprocess.run(['groff', '-man', '-Tutf8', '-ww', 'membrane.1'], capture_output=True, check=False)
    shown = re.sub(r'\x1b\[[0-9;]*m|.\x08', '', done.stdout.decode())
    check('groff renders it without a warning', done.returncode == 0 and done.stderr == b'', done.stderr.decode()[:500])
    check('an example is shown as it is typed', "printf 'a\\nb\\na\\n' | membrane count build -o letters.mbr" in shown)

print('completions')
script = must('completion', 'bash').out.decode()
with open('membrane.bash', 'w', encoding='utf-8') as file:
    file.write(script)


def complete(*words):
    """What bash offers for the last of the words."""
    line = ' '.join(f"'{word}'" for word in words)
    code = f'set -eu; . ./membrane.bash; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _membrane; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(['bash', '-c', code], capture_output=True, check=False)
    check('bash takes: ' + ' '.join(words), done.returncode == 0 and done.stderr == b'', done.stderr.decode())
    return done.stdout.decode().split()


with open('keys.txt', 'w', encoding='utf-8') as file:
    file.write('1\n')
check('commands', complete('membrane', '') == list(dict.fromkeys(command.split()[0] for command in COMMANDS)))
check('names of models', {'bloom', 'multi_level', 'rank'} <= set(complete('membrane', 'model', '')))
check('names of lab items', {'balanced_fig4', 'rank_table3'} <= set(complete('membrane', 'lab', '')))
check('commands of count', complete('membrane', 'count', '') == ['build', 'add', 'query', 'top', 'merge', 'info'])
check('an option', complete('membrane', 'build', '--fp') == ['--fpr'])
check('choices', complete('membrane', 'build', '--format', '') == ['lines', 'nul', 'u64', 'hex'])
check('kinds', complete('membrane', 'build', '--kind', 'co') == [kind['name'] for kind in json.loads(must('kinds', '--json').out)
                                                               if kind['name'].startswith('co')])
check('files', complete('membrane', 'query', 'keys') == ['keys.txt'])
check('shells', complete('membrane', 'completion', '') == ['bash', 'zsh', 'fish'])
for command in COMMANDS:
    offered = complete('membrane', *command.split(), '--')
    check(f'{command}: all its options', sorted(offered) == options[command], f'{offered} {options[command]}')
for shell in ('zsh', 'fish'):
    script = must('completion', shell).out.decode()
    missing = [name for command in COMMANDS for name in options[command] if (name if shell == 'zsh' else '-l ' + name[2:]) not in script]
    check(f'{shell}: all options', not missing, str(missing))
    if shutil.which(shell):
        with open(f'membrane.{shell}', 'w', encoding='utf-8') as file:
            file.write(script)
        done = subprocess.run([shell, '-n', f'membrane.{shell}'], capture_output=True, check=False)
        check(f'{shell} reads it', done.returncode == 0 and done.stderr == b'', done.stderr.decode())

print('table of kinds')
table = must('kinds', '--markdown').out.decode()
check('as many columns in every row', len({line.count('|') for line in table.splitlines()}) == 1)
choosing = read(os.path.join(SOURCE, 'doc', 'choosing.md'))
there = choosing.split('<!-- kinds -->')[1].split('<!-- /kinds -->')[0].strip()
check('doc/choosing.md has this table', there == table.strip(), 'put the output of `membrane kinds --markdown` between the markers')
finish()
