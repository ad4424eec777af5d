"""Kills writers at random moments: the file on disk is the old one or the new one, and later runs are not disturbed."""
import os
import random
import shutil
import subprocess
import time

from tool import KEY, TOOL, check, digest, finish, must, numbers, run, scratch


def timed(arguments):
    start = time.monotonic()
    subprocess.run([TOOL, *arguments], check=True)
    return time.monotonic() - start


def kill_jobs(jobs, moments):
    """`jobs`: name -> (arguments that change f.mbr, the file that f.mbr is before, the digest of what it is to become)."""
    durations = {}
    for name, (arguments, before, new) in jobs.items():
        shutil.copy(before, 'f.mbr')
        durations[name] = timed(arguments)
        check(f'{name}: undisturbed, it makes the expected file in {durations[name] * 1000:.0f} ms', digest('f.mbr') == new)

    seen = {name: {'old': 0, 'new': 0, 'mixed': 0} for name in jobs}
    killed = 0
    for turn in range(moments):
        name = list(jobs)[turn % len(jobs)]
        arguments, before, new = jobs[name]
        shutil.copy(before, 'f.mbr')
        process = subprocess.Popen([TOOL, *arguments])
        # Most of the run, and with some weight its end, where the file is written and renamed.
        part = random.uniform(0, 1.2) if turn % 6 < 3 else random.uniform(0.7, 1.2)
        time.sleep(part * durations[name])
        process.kill()
        killed += process.wait() < 0
        state = digest('f.mbr')
        kind = 'old' if state == digest(before) else 'new' if state == new else 'mixed'
        seen[name][kind] += 1
        if kind == 'mixed':
            check(f'turn {turn}: {name}: the file is the old one or the new one', False)
    for name in jobs:
        check(f'{name}: {seen[name]["old"]} times the old file, {seen[name]["new"]} times the new one, never a mix', seen[name]['mixed'] == 0)
    check(f'{killed} of {moments} were killed before their end', killed >= moments // 10)

    litter = [entry for entry in os.listdir('.') if entry.startswith('f.mbr') and entry != 'f.mbr']
    print(f'  ({len(litter)} files left behind: {litter[:3]})')
    for name, (arguments, before, new) in jobs.items():
        shutil.copy(before, 'f.mbr')
        subprocess.run([TOOL, *arguments], check=True)
        check(f'{name}: works afterwards', digest('f.mbr') == new)


def kill_writers(moments, seed):
    scratch()
    random.seed(seed)
    with open('first', 'wb') as file:
        file.write(numbers(1, 300_000))
    with open('second', 'wb') as file:
        file.write(numbers(300_001, 400_000))
    must('build', '-q', '-o', 'old.mbr', '--keys', '400k', '--key', KEY, 'first')
    shutil.copy('old.mbr', 'added.mbr')
    must('add', '-q', 'added.mbr', 'second')
    must('build', '-q', '-o', 'rebuilt.mbr', '--keys', '400k', '--key', KEY, 'second')
    must('build', '-q', '-o', 'online.mbr', '--kind', 'choice_bloom:choices=2,k=7', '--bits-per-key', '8', '--key', KEY, 'first')
    shutil.copy('online.mbr', 'improved.mbr')
    must('improve', '-q', '--rounds', '3', 'improved.mbr', 'first')
    jobs = {'add': (['add', '-q', 'f.mbr', 'second'], 'old.mbr', digest('added.mbr')),
            'build --force': (['build', '-q', '--force', '-o', 'f.mbr', '--keys', '400k', '--key', KEY, 'second'], 'old.mbr', digest('rebuilt.mbr')),
            'improve': (['improve', '-q', '--rounds', '3', 'f.mbr', 'first'], 'online.mbr', digest('improved.mbr'))}
    check('old and new files differ', len({digest('old.mbr'), digest('online.mbr'), *(new for _, _, new in jobs.values())}) == 5)
    kill_jobs(jobs, moments)
    finish()


def kill_growing_writers(moments, seed):
    """Writers that make a file many times as large, and smaller; verify accepts both."""
    scratch()
    random.seed(seed)
    with open('many', 'wb') as file:
        file.write(numbers(1001, 400_000))
    must('build', '-q', '-o', 'small.mbr', '--grow-to', '1M', '--key', KEY, stdin=numbers(1, 1000))
    for made, arguments in (('grown.mbr', ['add', '-q', 'grown.mbr', 'many']), ('shrunk.mbr', ['shrink', '-q', 'shrunk.mbr', '--fpr', '5%'])):
        shutil.copy('small.mbr' if made == 'grown.mbr' else 'grown.mbr', made)
        must(*arguments)
    must('diff', '-q', 'small.mbr', 'grown.mbr', '-o', 'grow.mbp')
    must('merge', '-q', '-o', 'merged.mbr', 'small.mbr', 'grown.mbr')
    must('build', '-q', '-o', 'erasable.mbr', '--delete', '--grow-to', '1M', '--key', KEY, 'many')
    with open('half', 'wb') as file:
        file.write(numbers(1001, 200_000))
    shutil.copy('erasable.mbr', 'erased.mbr')
    must('remove', '-q', 'erased.mbr', 'half')
    check('the grown file is much larger', os.path.getsize('grown.mbr') > 100 * os.path.getsize('small.mbr'))
    for name in ('small.mbr', 'grown.mbr', 'shrunk.mbr', 'erasable.mbr', 'erased.mbr'):
        check(f'verify accepts {name}', run('verify', name).code == 0)
    kill_jobs({'add that grows': (['add', '-q', 'f.mbr', 'many'], 'small.mbr', digest('grown.mbr')),
               'patch': (['patch', '-q', 'f.mbr', 'grow.mbp'], 'small.mbr', digest('grown.mbr')),
               'merge': (['merge', '-q', '--force', '-o', 'f.mbr', 'small.mbr', 'grown.mbr'], 'small.mbr', digest('merged.mbr')),
               'remove': (['remove', '-q', 'f.mbr', 'half'], 'erasable.mbr', digest('erased.mbr')),
               'shrink': (['shrink', '-q', 'f.mbr', '--fpr', '5%'], 'grown.mbr', digest('shrunk.mbr'))}, moments)
    finish()
