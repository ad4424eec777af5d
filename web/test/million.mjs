// node million.mjs [KEYS]: drops a file of keys on the page and prints how long the page takes to plan, build and verify it.
import { openSync, writeSync, closeSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { closeBrowser, folder, openPage } from './support.mjs';

const keys = Number(process.argv[2] ?? 1_000_000);
const name = join(folder, 'keys.txt');
const file = openSync(name, 'w');
for (let first = 0; first < keys; first += 100_000)
  writeSync(file, Array.from({ length: Math.min(100_000, keys - first) }, (_, i) => `user-${first + i}@example.org\n`).join(''));
closeSync(file);
const tab = await openPage();
const start = performance.now();
await tab.setInputFiles('#try-file', name);
await tab.waitForSelector('#try-download, #try-problem', { timeout: 3_600_000 });
const seconds = (performance.now() - start) / 1000;
console.log(`${keys} keys, ${statSync(name).size} bytes: ${seconds.toFixed(2)} s from the drop to the link`);
console.log((await tab.$$eval('#try-result section:first-child, #try-problem', (parts) => parts.map((part) => part.innerText))).join('\n'));
console.log(tab.problems.join('\n'));
await closeBrowser();
