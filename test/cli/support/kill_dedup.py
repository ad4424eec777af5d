"""Ends `dedup` at random moments: by SIGKILL the file is an old or a new state, by SIGTERM nothing that was printed is unremembered."""
import json
import os
import random
import signal
import subprocess
import threading
import time

from tool import TOOL, check, finish, must, numbers, run, scratch

KEYS = 400_000


def end_at(seconds, number):
    """Feeds dedup in pieces, as a stream comes; returns what it printed until the signal came."""
    if os.path.exists('f.mbr'):
        os.remove('f.mbr')
    process = subprocess.Popen([TOOL, 'dedup', 'f.mbr', '--save-every', '50k', '--fpr', '1e-9'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)

    def feed():
        try:
            for first in range(1, KEYS, 10_000):
                process.stdin.write(numbers(first, first + 9999))
                process.stdin.flush()
            process.stdin.close()
        except OSError:
            pass  # the tool has ended

    feeder = threading.Thread(target=feed)
    feeder.start()
    killer = threading.Timer(seconds, lambda: process.send_signal(number))
    killer.start()
    printed = process.stdout.read()
    code = process.wait()
    killer.cancel()
    feeder.join()
    return printed, code


def kill_dedup(moments, seed):
    scratch()
    random.seed(seed)
    start = time.monotonic()
    printed, code = end_at(60, signal.SIGTERM)
    duration = time.monotonic() - start
    check(f'undisturbed: every key once, in {duration * 1000:.0f} ms', code == 0 and printed == numbers(1, KEYS))
    ended = {signal.SIGKILL: 0, signal.SIGTERM: 0}
    missing = states = 0
    for turn in range(moments):
        number = (signal.SIGKILL, signal.SIGTERM)[turn % 2]
        printed, code = end_at(random.uniform(0, 1.1) * duration, number)
        ended[number] += code == -number
        lines = printed[:printed.rfind(b'\n') + 1]
        if not os.path.exists('f.mbr'):
            check(f'turn {turn}: no file, and nothing was printed', lines == b'')
            continue
        info = run('info', '--json', 'f.mbr')
        states += info.code == 0
        if info.code != 0:
            check(f'turn {turn}: the file is whole', False, repr(info))
            continue
        keys = json.loads(info.out)['keys']
        if number == signal.SIGKILL and code != 0:
            # The state of a save: the first keys of the stream, all of them and no others.
            there = run('query', '-c', 'f.mbr', stdin=numbers(1, KEYS))
            if there.out != b'%d\n' % keys or (keys and run('query', '-c', 'f.mbr', stdin=numbers(1, keys)).out != there.out):
                check(f'turn {turn}: the file is the state of one save', False, f'{keys} keys')
        else:
            unremembered = int(run('query', '-c', '-v', 'f.mbr', stdin=lines).out) if lines else 0
            missing += unremembered
            if printed != lines or keys != lines.count(b'\n'):
                check(f'turn {turn}: remembered is what was printed', False, f'{keys} keys, {len(lines)} bytes printed')
    check(f'{ended[signal.SIGKILL]} killed, {ended[signal.SIGTERM]} ended by SIGTERM: {states} whole files', min(ended.values()) > moments // 8)
    check('by SIGTERM nothing that was printed is unremembered', missing == 0, missing)
    must('verify', 'f.mbr')
    finish()
