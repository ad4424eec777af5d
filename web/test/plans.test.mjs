// The plans of the page are those of the tool.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { closeBrowser, membrane, openPage, sentence } from './support.mjs';

after(closeBrowser);

// Fifty questions: every pair of sizes at several magnitudes, every need, bounds, kinds with parameters, and what cannot be met.
const questions = [
  ...['1', '100', '10k', '1M', '10M', '1G', '100G'].map((keys) => ['--keys', keys, '--fpr', '1%']),
  ...['50%', '10%', '0.1%', '1e-4', '1e-6', '1e-9', '0.37%'].map((rate) => ['--keys', '3M', '--fpr', rate]),
  ...['4', '8', '10.5', '16', '33'].map((bits) => ['--keys', '250k', '--bits-per-key', bits]),
  ...['1KiB', '64KiB', '1MB', '64MiB', '2GiB'].map((bytes) => ['--keys', '1M', '--max-bytes', bytes]),
  ...['4KiB', '1MiB', '1GB'].map((bytes) => ['--max-bytes', bytes, '--fpr', '0.1%']),
  ...['--delete', '--count', '--merge', '--intersect', '--grow', '--fixed', '--static'].map((need) => ['--keys', '500k', '--fpr', '0.5%', need]),
  ['--keys', '1M', '--grow-to', '100M', '--fpr', '0.1%'],
  ['--keys', '1M', '--grow-to', '1M', '--delete'],
  ['--keys', '1M', '--fpr', '1%', '--worst-reads', '1'],
  ['--keys', '1M', '--fpr', '0.1%', '--reads', '1.2'],
  ['--keys', '1M', '--fpr', '1%', '--max-bytes', '1MiB'],
  ['--keys', '1M', '--fpr', '1%', '--max-bytes', '100KiB'],
  ['--keys', '1M', '--delete', '--merge', '--count'],
  ['--keys', '1M', '--static', '--worst-reads', '1'],
  ['--keys', '1M', '--kind', 'bloom:k=5'],
  ['--keys', '1M', '--kind', 'balanced_bloom', '--fpr', '0.01%'],
  ['--keys', '1M', '--kind', 'balanced_rank:form=erasable'],
  ['--keys', '20M', '--fpr', '2%', '--merge', '--intersect'],
  ['--keys', '7', '--fpr', '0.1%', '--delete'],
  ['--keys', '12345678', '--bits-per-key', '11.25', '--fixed'],
  ['--keys', '0', '--max-bytes', '1MiB'],
  ['--keys', '1M'],
];

// The browser's mathematical functions differ from the machine's in the last digits, and nothing else may.
function checkEqual(found, expected, place) {
  if (typeof expected === 'number') {
    assert.ok(Math.abs(found - expected) <= 1e-9 * Math.abs(expected), `${place}: ${found}, the tool says ${expected}`);
  } else if (expected !== null && typeof expected === 'object') {
    assert.deepEqual(Object.keys(found), Object.keys(expected), place);
    for (const name of Object.keys(expected)) checkEqual(found[name], expected[name], `${place}.${name}`);
  } else assert.equal(found, expected, place);
}

test('plans equal those of `membrane plan --json` for 50 questions', async () => {
  assert.ok(questions.length >= 50, `${questions.length} questions`);
  const tab = await openPage();
  for (const words of questions) {
    const expected = membrane('plan', '--json', ...words);
    const found = await tab.evaluate((all) => window.membrane('plan', '--json', ...all), words);
    assert.equal(found.code, expected.code, words.join(' '));
    assert.equal(found.err, expected.err);
    checkEqual(JSON.parse(found.out), JSON.parse(expected.out), words.join(' '));
  }
  assert.deepEqual(tab.problems, []);
});

test('questions that the tool refuses are refused with its words', async () => {
  const tab = await openPage();
  for (const words of [['--keys', 'many'], ['--keys', '1M', '--fpr', '2'], [], ['--keys', '1M', '--kind', 'blom'], ['--keys', '9', '--grow-to', '3']]) {
    const expected = membrane('plan', ...words);
    const found = await tab.evaluate((all) => window.membrane('plan', ...all), words);
    assert.equal(found.code, 2);
    assert.deepEqual(found, expected);
  }
});

test('the form asks, shows the answer, and a problem in the tool’s words', async () => {
  const tab = await openPage();
  await tab.fill('[name=keys]', '2M');
  await tab.fill('[name=fpr]', '1e-4');
  await tab.check('[value=delete]');
  await tab.waitForFunction(() => document.querySelector('#plan-question').textContent.startsWith('2,000,000 keys'));
  const expected = membrane('plan', '--keys', '2M', '--fpr', '1e-4', '--delete').out;
  assert.equal(await tab.textContent('#plan-question'), expected.split('\n')[0]);
  const row = expected.split('\n').find((line) => line.startsWith('* ')).slice(2).split(/ {2,}/).map((cell) => cell.trim());
  const shown = await tab.$$eval('.ranking .chosen tr:first-child > *', (cells) => cells.map((cell) => cell.textContent.replace('chosen', '').trim()));
  assert.deepEqual(shown, row);
  assert.match(await tab.textContent('#snippet'), /membrane build KEYS.txt -o F.mbr --kind balanced_rank:form=erasable/);
  await tab.fill('[name=keys]', 'many');
  await tab.waitForSelector('#plan-problem:not([hidden])');
  const problem = sentence(membrane('plan', '--keys', 'many').err);
  assert.equal(await tab.textContent('#plan-problem'), problem);
});

test('numbers may be written as people write them; one that is missing is asked for by the name of its field', async () => {
  const tab = await openPage();
  const written = async (name, text) => {
    await tab.fill(`[name=${name}]`, '');
    await tab.waitForSelector('#plan-problem:not([hidden])');
    await tab.fill(`[name=${name}]`, text);
    await tab.waitForSelector('#plan-problem', { state: 'hidden' });
    return (await tab.textContent('#snippet')).split('\n')[0];
  };
  for (const text of ['2,500,000', '2 500 000', '2_500_000', ' 2.5 million', '2.5 M'])
    assert.match(await written('keys', text), /^membrane plan --keys (2500000|2.5M) --fpr 0.1%$/, text);
  assert.match(await written('fpr', '0.5 %'), /--fpr 0.5%$/);
  await tab.fill('[name=keys]', '');
  await tab.waitForSelector('#plan-problem:not([hidden])');
  assert.equal(await tab.textContent('#plan-problem'), 'Keys: give a number, such as 10M');
  for (const [name, text] of [['keys', '1,5'], ['keys', '10 apples'], ['fpr', '0,1 %']]) {
    await tab.fill(`[name=${name}]`, text);
    await tab.waitForFunction((word) => document.querySelector('#plan-problem').textContent.startsWith(`--${word}: `), name);
    await tab.fill(`[name=${name}]`, '1');
    if (name === 'fpr') await tab.fill('[name=fpr]', '1%');
    await tab.waitForSelector('#plan-problem', { state: 'hidden' });
  }
  assert.deepEqual(tab.problems, []);
});

test('a link reproduces its plan', async () => {
  const tab = await openPage();
  await tab.check('[name=question][value=fit]', { force: true });
  await tab.fill('[name=max-bytes]', '10MiB');
  await tab.fill('[name=fpr]', '0.3%');
  await tab.check('[value=one-line]');
  await tab.waitForFunction(() => /10.49 MB/.test(document.querySelector('#plan-question').textContent) && /worst/.test(document.querySelector('#plan-question').textContent));
  const address = new URL(tab.url()).hash;
  const shown = (from) => from.$$eval('#plan-question, .ranking, #snippet', (parts) => parts.map((part) => part.textContent));
  const other = await openPage(address);
  await other.waitForFunction(() => /10.49 MB/.test(document.querySelector('#plan-question').textContent));
  assert.deepEqual(await shown(other), await shown(tab));
  assert.equal(new URL(other.url()).hash, address);
});
