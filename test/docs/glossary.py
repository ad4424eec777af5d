#!/usr/bin/env python3
"""doc/glossary.md has one row for each word, and what it calls a stack of filters is called a chain nowhere."""
import collections
import os
import re

SOURCE = os.environ['MEMBRANE_SOURCE_DIR']


def text(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def files(*rooms):
    for room in rooms:
        for folder, _, names in os.walk(os.path.join(SOURCE, room)):
            yield from (os.path.join(folder, name) for name in names if name.endswith(('.cpp', '.hpp', '.md', '.py', '.svg')))


rows = re.findall(r'^\| ([^|]+?) \|', text(os.path.join(SOURCE, 'doc', 'glossary.md')), re.M)
words = collections.Counter(word for word in rows if word != 'word')
assert len(words) > 80, len(words)
assert not [word for word, times in words.items() if times > 1], words.most_common(3)

for path in files('doc', 'lab'):
    assert not re.search(r'chains? of (\w+ )?filters|filter chains?', text(path)), path
# The module knows the chains of a bucket only as a field of a spec.
for path in files('redis'):
    assert not re.search(r'chain', text(path).replace('balanced_rank_field::chains', ''), re.I), path
