#!/usr/bin/env python3
"""Filters that grow: the rate is kept up to the promised number of keys; shrink, merge, compare, diff, patch and pack of any sizes."""
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from tool import KEY, check, digest, finish, folder_state, must, numbers, run, scratch  # noqa: E402

OTHER_KEY = KEY[::-1]
scratch()


def info(name):
    return json.loads(must('info', '--json', name).out)


def has_all(name, first, last):
    return run('query', name, '-c', stdin=numbers(first, last)).out == f'{last - first + 1}\n'.encode()


def build(name, first, last, *options):
    return must('build', '-o', name, '--force', '--key', KEY, *options, stdin=numbers(first, last))


print('built for few keys, grown to many')
said = build('grown.mbr', 1, 1000, '--grow-to', '100k', '--fpr', '1%')
check('build says up to how many keys', 'up to 100,000 keys' in said.err, repr(said))
before = info('grown.mbr')
check('small, and a rate far below the promise', before['size_bytes'] < 4000 and before['estimated_fpr_now'] < 2e-4 and before['grows'], str(before))
check('the promise', 100_000 <= before['promised_keys'] <= 101_000 and not before['is_over_capacity'], str(before))
added = must('add', 'grown.mbr', stdin=numbers(1, 90_000))
check('add says that it has grown', 'has grown from' in added.err and 'looked present' in added.err and 'rate is now' not in added.err, repr(added))
check('every key is found', has_all('grown.mbr', 1, 90_000))
verified = run('verify', 'grown.mbr', '--json')
check('verify says as planned', verified.code == 0 and json.loads(verified.out)['planned_fpr'] == 0.01, repr(verified))
check('info says what it keeps', b'it grows: the rate is kept up to 100,' in must('info', 'grown.mbr').out)
check('verify as well', b'it grows: the rate is kept up to 100,' in must('verify', 'grown.mbr').out)
shutil.copy('grown.mbr', 'promised.mbr')
added = must('add', 'grown.mbr', stdin=numbers(90_001, 300_000))
now = info('grown.mbr')
check('far beyond the promise: exit 0, and the rate', 'its rate was planned for 100,' in added.err and 'the false positive rate is now about' in added.err and
      now['is_over_capacity'] and 0.025 < now['estimated_fpr_now'] < 0.035, repr(added) + str(now))
check('every key is found', has_all('grown.mbr', 1, 300_000))

print('what build refuses')
for name, options, text in (('fewer than the keys that are read', ['--grow-to', '500'], "--grow-to: 500, fewer than the input's 1,000 keys"),
                            ('fewer than the planned keys', ['--grow-to', '500', '--keys', '2k'], '--grow-to: 500, fewer than the planned 2,000 keys'),
                            ('none', ['--grow-to', '0'], '--grow-to'),
                            ('a kind that does not grow', ['--grow-to', '2k', '--kind', 'bloom'], 'would not grow (bloom, expected balanced_rank)'),
                            ('a form that does not', ['--grow-to', '2k', '--kind', 'balanced_rank:form=fixed'], '(form fixed, expected growable)'),
                            ('a fixed one that grows', ['--grow-to', '2k', '--fixed'], '--fixed'),
                            ('a fixed one that erases', ['--delete', '--fixed'], '--fixed'),
                            ('a kind that cannot erase', ['--delete', '--kind', 'bloom'], 'keys could not be removed from this filter (bloom, expected')):
    refused = run('build', '-o', 'none.mbr', *options, stdin=numbers(1, 1000))
    check(name, refused.code == 2 and text in refused.err and not os.path.exists('none.mbr'), repr(refused))
refused = run('plan', '--keys', '1k', '--grow-to', '500')
check('plan: fewer than the planned keys', refused.code == 2 and '--grow-to: 500, fewer than the planned 1,000 keys' in refused.err, repr(refused))

print('forms')
build('erasable.mbr', 1, 1000, '--delete')
check('--delete: keys can be removed', run('remove', 'erasable.mbr', stdin=numbers(1, 10)).code == 0)
build('fixed.mbr', 1, 20_000, '--fixed')
build('growable.mbr', 1, 20_000)
fixed, growable = info('fixed.mbr'), info('growable.mbr')
check('--fixed: smaller, and does not grow', not fixed['grows'] and growable['grows'] and fixed['size_bytes'] < growable['size_bytes'])
build('sized.mbr', 1, 3000, '--keys', '4k')
check('--keys: the layout is for that many', info('sized.mbr')['planned_keys'] == 4000)
build('bits.mbr', 1, 20_000, '--bits-per-key', '12')
check('--bits-per-key: the rate is promised to the keys', info('bits.mbr')['promised_keys'] == 20_000 and not info('bits.mbr')['is_over_capacity'], str(info('bits.mbr')))
build('empty.mbr', 1, 0, '--grow-to', '10k', '--allow-empty')
must('add', '-q', 'empty.mbr', stdin=numbers(1, 5000))
check('an empty one grows too', has_all('empty.mbr', 1, 5000) and not info('empty.mbr')['is_over_capacity'])

print('plan')
planned = json.loads(must('plan', '--json', '--keys', '1M', '--fpr', '1%', '--grow-to', '100M').out)
best = planned['candidates'][0]
check('only kinds that grow fit', all(each['fits'] == bool(each['filter'] and each['filter']['can']['grow']) for each in planned['candidates']), str(planned['chosen']))
check('bits per key at the end', best['filter']['grown']['keys'] == 100_000_000 and
      best['filter']['grown']['bits_per_key'] < best['filter']['bits_per_key'] - 4 and best['filter']['grown']['fpr'] <= 0.01, str(best))
check('its command grows', planned['build'].endswith('--grow-to 100000000'), planned['build'])
beyond = {each['kind']: each['filter']['beyond_plan'] for each in json.loads(must('plan', '--json', '--keys', '1M').out)['candidates']}
check('what comes beyond the plan', beyond['balanced_rank'] == 'grows' and beyond['bloom'] == 'rate rises' and beyond['rank'] == 'full', str(beyond))

print('shrink')
build('roomy.mbr', 1, 5000, '--keys', '50k', '--fpr', '0.01%')
roomy = info('roomy.mbr')
must('shrink', '-q', 'roomy.mbr', '--fit')
fit = info('roomy.mbr')
check('--fit: smaller, the same promise', fit['size_bytes'] < roomy['size_bytes'] / 3 and fit['promised_keys'] == roomy['promised_keys'] and
      fit['estimated_fpr_now'] == roomy['estimated_fpr_now'], f'{roomy} {fit}')
old = digest('roomy.mbr')
said = must('shrink', 'roomy.mbr', '--fpr', '1%', '-o', 'coarse.mbr')
coarse = info('coarse.mbr')
check('--fpr: the rate is at most that, the file is smaller', 'was' in said.err and coarse['estimated_fpr_now'] <= 0.01 and coarse['size_bytes'] < fit['size_bytes'] * 0.7, repr(said))
check('--output leaves the filter as it is', digest('roomy.mbr') == old)
check('no key is lost', has_all('coarse.mbr', 1, 5000))
check('verify accepts it', run('verify', 'coarse.mbr').code == 0)
for bits in (16, 12, 10):
    must('shrink', '-q', 'roomy.mbr', '--bits-per-key', str(bits))
    shrunk = info('roomy.mbr')
    check(f'--bits-per-key {bits}', shrunk['bits_per_key'] <= bits and has_all('roomy.mbr', 1, 5000), str(shrunk))
build('bloom.mbr', 1, 5000, '--kind', 'bloom', '--keys', '50k', '--fpr', '0.1%')
bloom = info('bloom.mbr')
must('shrink', '-q', 'bloom.mbr', '--fpr', '1%')
folded = info('bloom.mbr')
check('a kind that folds is folded', folded['size_bytes'] * 4 <= bloom['size_bytes'] and folded['estimated_fpr_now'] <= 0.0105 and has_all('bloom.mbr', 1, 5000), str(folded))
check('verify accepts it', run('verify', 'bloom.mbr').code == 0, repr(run('verify', 'bloom.mbr')))
must('build', '-q', '-o', 'rank.mbr', '--kind', 'rank', stdin=numbers(1, 100))
state = folder_state()
for name, arguments, text in (('a lower rate than it has', ['grown.mbr', '--fpr', '1e-9'], 'already'), ('too few bits', ['grown.mbr', '--bits-per-key', '1'], 'cannot be smaller than'),
                              ('a kind that cannot', ['rank.mbr', '--fpr', '10%'], 'cannot be shrunk (rank, expected bloom'),
                              ('a form that cannot', ['fixed.mbr', '--fit'], '(form fixed, expected growable)'),
                              ('--fit of a kind that folds', ['bloom.mbr', '--fit'], 'give --fpr or --bits-per-key'), ('no size', ['grown.mbr'], 'give --fit')):
    refused = run('shrink', *arguments)
    check(f'refused: {name}', refused.code == 2 and text in refused.err, repr(refused))
check('refused commands change nothing', folder_state() == state)

print('merge of any sizes')
build('few.mbr', 1, 1000, '--grow-to', '100k')
build('many.mbr', 501, 50_000, '--grow-to', '100k')
merged = must('merge', 'few.mbr', 'many.mbr', '-o', 'both.mbr')
check('all keys of both', has_all('both.mbr', 1, 50_000) and info('both.mbr')['keys'] == 50_500 and 49_500 < info('both.mbr')['estimated_keys'] < 50_500, repr(merged))
must('merge', '-q', 'many.mbr', 'few.mbr', '-o', 'turned.mbr')
check('the same keys in the other order', info('both.mbr')['keys'] == info('turned.mbr')['keys'])
must('shrink', '-q', 'many.mbr', '--fpr', '1%')
must('merge', '-q', '--force', 'few.mbr', 'many.mbr', '-o', 'both.mbr')
check('universes that differ by a power of two', has_all('both.mbr', 1, 50_000) and run('verify', 'both.mbr').code == 0)
build('odd.mbr', 1, 1000, '--grow-to', '70k')
refused = run('merge', 'few.mbr', 'odd.mbr', '-o', 'none.mbr')
check('other universes are refused', refused.code == 5 and 'universe differs' in refused.err and '--grow-to' in refused.err, repr(refused))
build('erases.mbr', 1, 1000, '--grow-to', '100k', '--delete')
refused = run('merge', 'erases.mbr', 'few.mbr', '-o', 'none.mbr')
check('a growable one does not come into an erasable one', refused.code == 5 and 'form differs (found growable, expected erasable' in refused.err, repr(refused))
must('merge', '-q', 'few.mbr', 'erases.mbr', '-o', 'growable2.mbr')

print('compare')
build('a.mbr', 1, 60_000, '--grow-to', '100k', '--fpr', '0.1%')
build('b.mbr', 40_001, 80_000, '--grow-to', '100k', '--fpr', '0.1%')
found = json.loads(must('compare', '--json', 'a.mbr', 'b.mbr').out)
for field, truth in (('keys_of_a', 60_000), ('keys_of_b', 40_000), ('shared', 20_000), ('jaccard', 0.25)):
    each = found[field]
    check(f'{field}: {each["value"]:.4g}, truth {truth}', each['low'] <= truth <= each['high'] and abs(each['value'] - truth) < 0.02 * truth, str(each))
text = must('compare', 'a.mbr', 'b.mbr').out.decode()
check('a sentence', 'of the keys of a.mbr are in b.mbr' in text, text)
refused = run('compare', 'a.mbr', 'bloom.mbr')
check('another kind is refused', refused.code == 2 and 'can be compared; build it with --grow-to N (bloom, expected balanced_rank)' in refused.err, repr(refused))

print('diff and patch')
for form in ([], ['--delete']):
    build('old.mbr', 1, 20_000, '--grow-to', '100k', *form)
    shutil.copy('old.mbr', 'new.mbr')
    must('add', '-q', 'new.mbr', stdin=numbers(20_001, 20_200))
    if form:
        must('remove', '-q', 'new.mbr', stdin=numbers(1, 100))
    must('diff', '-q', '--force', 'old.mbr', 'new.mbr', '-o', 'day.mbp')
    check(f'a patch of {os.path.getsize("day.mbp")} bytes', os.path.getsize('day.mbp') < os.path.getsize('new.mbr') / 20)
    shutil.copy('old.mbr', 'kept.mbr')
    must('patch', '-q', '--force', 'kept.mbr', 'day.mbp', '-o', 'patched.mbr')
    check('the bytes of the newer filter', digest('patched.mbr') == digest('new.mbr') and digest('kept.mbr') == digest('old.mbr'))
    must('patch', '-q', 'kept.mbr', 'day.mbp')
    check('in place as well', digest('kept.mbr') == digest('new.mbr'))
    with open('day.mbp', 'rb') as file:
        patch = file.read()
    for name, change in (('cut', patch[:-1]), ('cut to nothing', b''), ('cut in its header', patch[:100]), ('longer', patch + b'\0'),
                         ('changed', patch[:-3] + bytes([patch[-3] ^ 1]) + patch[-2:]), ('changed in its header', patch[:60] + bytes([patch[60] ^ 1]) + patch[61:])):
        with open('bad.mbp', 'wb') as file:
            file.write(change)
        state = folder_state()
        refused = run('patch', 'old.mbr', 'bad.mbp')
        check(f'{name}: refused', refused.code == 3 and refused.err.startswith('membrane: bad.mbp: ') and folder_state() == state, repr(refused))
    state = folder_state()
    refused = run('patch', 'kept.mbr', 'day.mbp')
    check('a second time: refused', refused.code == 5 and 'was made for, but another state of it' in refused.err and folder_state() == state, repr(refused))
    refused = run('patch', 'new.mbr', 'old.mbr')
    check('not a patch: refused', refused.code == 3 and 'membrane diff' in refused.err and folder_state() == state, repr(refused))
must('build', '-q', '-o', 'key.mbr', '--key', OTHER_KEY, '--grow-to', '100k', '--delete', stdin=numbers(1, 20_000))
build('form.mbr', 1, 20_000, '--grow-to', '100k')
state = folder_state()
for name, file, text in (('another hash key', 'key.mbr', 'hash key'), ('another form', 'form.mbr', 'found erasable, expected growable'), ('another kind', 'bloom.mbr', 'kind')):
    refused = run('patch', file, 'day.mbp')
    check(f'{name}: refused', refused.code == 5 and refused.err.startswith(f'membrane: {file}: ') and text in refused.err and folder_state() == state, repr(refused))
refused = run('add', 'old.mbr', 'day.mbp')
check('a patch is no file of keys', refused.code == 2 and '`membrane patch`' in refused.err and folder_state() == state, repr(refused))
refused = run('diff', 'key.mbr', 'old.mbr', '-o', 'none.mbp')
check('diff of other hash keys: refused', refused.code == 5 and 'hash key differs' in refused.err and not os.path.exists('none.mbp'), repr(refused))

print('packed')
for name in ('grown.mbr', 'erases.mbr', 'coarse.mbr'):
    must('pack', '-q', '--force', name, '-o', 'sent.pack')
    must('unpack', '-q', '--force', 'sent.pack', '-o', 'received.mbr')
    check(f'{name}: shorter', os.path.getsize('sent.pack') < os.path.getsize(name))
    shared = json.loads(must('compare', '--json', name, 'received.mbr').out)
    check(f'{name}: the same numbers', info(name)['keys'] == info('received.mbr')['keys'] and shared['jaccard']['value'] == 1, str(shared))
refused = run('pack', 'fixed.mbr', '-o', 'none.pack')
check('the fixed form has none', refused.code == 2 and '(form fixed, expected growable)' in refused.err and not os.path.exists('none.pack'), repr(refused))
finish()
