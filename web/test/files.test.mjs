// Files: what the page makes and reads is what the tool makes and reads.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { closeBrowser, folder, membrane, must, openPage, sentence } from './support.mjs';

after(closeBrowser);
const hashKey = '000102030405060708090a0b0c0d0e0f';
const place = (name) => join(folder, name);

async function drop(tab, name) {
  await tab.setInputFiles('#try-file', []);
  await tab.setInputFiles('#try-file', place(name));
  await tab.waitForSelector('#try-busy', { state: 'hidden' });
  await tab.waitForSelector('#try-result > *');
}

before(() => {
  writeFileSync(place('words.txt'), Array.from({ length: 20000 }, (_, i) => `word ${i * i}\n`).join(''));
});

test('a file of keys becomes the tool’s file, byte for byte', async () => {
  const tab = await openPage();
  await tab.fill('[name=try-fpr]', '0.3%');
  await tab.evaluate(() => { document.querySelector('#try-form details').open = true; });
  await tab.fill('[name=try-key]', hashKey);
  for (const [box, option] of [[null, []], ['[name=try-delete]', ['--delete']], ['[name=try-fixed]', ['--fixed']]]) {
    if (box) await tab.check(box);
    await drop(tab, 'words.txt');
    const bytes = await tab.$eval('#try-download', async (link) => [...new Uint8Array(await (await fetch(link.href)).arrayBuffer())]);
    must('build', '-q', 'words.txt', '-o', 'native.mbr', '--force', '--fpr', '0.3%', '--key', hashKey, ...option);
    assert.ok(Buffer.from(bytes).equals(readFileSync(place('native.mbr'))), `${option}: other bytes`);
    if (box) await tab.uncheck(box);
  }
  assert.deepEqual(tab.problems, []);
});

test('a file that is dragged onto the page is taken, whatever its name', async () => {
  const tab = await openPage();
  for (const name of ['dropped.txt', '-o', 'żółw & co.txt', 'no end']) {
    await tab.$eval('#drop', (zone, file) => {
      const data = new DataTransfer();
      data.items.add(new File(['ann\nbob\nann\n'], file));
      zone.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    }, name);
    await tab.waitForFunction((file) => document.querySelector('#try-download')?.download === file, `${name.replace(/\.txt$/, '')}.mbr`);
    assert.equal(await tab.textContent('#try-result h3'), 'A filter of 2 keys');
  }
  assert.deepEqual(tab.problems, []);
});

const kinds = ['bloom', 'counting_bloom', 'blocked_bloom', 'choice_bloom', 'balanced_bloom', 'rank', 'balanced_rank:form=fixed', 'balanced_rank', 'balanced_rank:form=erasable', 'count_min'];
test('the tool’s files of every kind are verified, described and asked in the page', async () => {
  const tab = await openPage();
  for (const kind of kinds) {
    must('build', '-q', 'words.txt', '-o', 'kind.mbr', '--force', '--fpr', '1%', '--kind', kind, '--key', hashKey);
    await drop(tab, 'kind.mbr');
    assert.equal(await tab.textContent('#try-result h3'), 'Intact, and as planned', kind);
    const info = must('info', 'kind.mbr').split('\n').filter((line) => line && !line.startsWith(' ')).map((line) => line.slice(22).trim());
    const shown = await tab.$$eval('#try-result section:last-child dl > div:not(.parameter) dd', (cells) => cells.map((cell) => cell.textContent));
    assert.deepEqual(shown, info, kind);
    const words = [...Array.from({ length: 30 }, (_, i) => `word ${i * i}`), ...Array.from({ length: 200 }, (_, i) => `other ${i}`)];
    writeFileSync(place('asked.txt'), words.map((word) => `${word}\n`).join(''));
    const present = membrane('query', 'kind.mbr', 'asked.txt').out.split('\n').filter(Boolean);
    for (const word of [words[3], 'other 7', 'other 8']) {
      await tab.fill('#ask-word', word);
      await tab.click('#ask-word + button');
      await tab.waitForFunction((text) => document.querySelector('.answers b')?.textContent === text, word);
      assert.equal(await tab.$eval('.answers li', (line) => line.classList.contains('yes')), present.includes(word), `${kind}: ${word}`);
    }
  }
  assert.deepEqual(tab.problems, []);
});

test('damaged files and files without keys are refused in the tool’s words', async () => {
  const tab = await openPage();
  must('build', '-q', 'words.txt', '-o', 'good.mbr', '--force', '--key', hashKey);
  const good = readFileSync(place('good.mbr'));
  const changed = (name, change) => {
    const bytes = Buffer.from(good);
    writeFileSync(place(name), change(bytes) ?? bytes);
    return name;
  };
  const damaged = [
    changed('cut.mbr', (bytes) => bytes.subarray(0, bytes.length - 7)),
    changed('short.mbr', (bytes) => bytes.subarray(0, 20)),
    changed('empty.mbr', () => Buffer.alloc(0)),
    changed('longer.mbr', (bytes) => Buffer.concat([bytes, Buffer.from('more')])),
    changed('payload.mbr', (bytes) => { bytes[bytes.length - 100] ^= 4; }),
    changed('header.mbr', (bytes) => { bytes[40] ^= 1; }),
    changed('version.mbr', (bytes) => { bytes[8] = 99; }),
    changed('text.mbr', () => Buffer.from('these are no filter bytes, but a text of some length\n'.repeat(20))),
  ];
  for (const name of damaged) {
    const expected = membrane('verify', name);
    assert.ok(expected.code > 1, name);
    await drop(tab, name);
    assert.equal(await tab.textContent('#try-problem'), sentence(expected.err), name);
  }
  writeFileSync(place('nothing.txt'), '');
  writeFileSync(place('wide.txt'), Buffer.from('\ufeffann\nbob\n', 'utf16le'));
  for (const name of ['nothing.txt', 'wide.txt']) {
    await drop(tab, name);
    assert.equal(await tab.textContent('#try-problem'), sentence(membrane('build', '-o', 'no.mbr', '--fpr', '0.1%', name).err), name);
  }
  await tab.fill('[name=try-fpr]', '7');
  await drop(tab, 'words.txt');
  assert.equal(await tab.textContent('#try-problem'), sentence(membrane('build', '-o', 'no.mbr', '--fpr', '7', 'words.txt').err));
  assert.deepEqual(tab.problems, []);
});
