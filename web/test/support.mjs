// What the tests of the page share: the tool, a browser, a folder for files. Set by `./dev web test`:
//   MEMBRANE  the tool      PAGE  the page      WASM  the folder of membrane_page.wasm
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const needed = (name) => {
  if (!process.env[name]) throw new Error(`${name} is not set; run the tests by \`./dev web test\``);
  return resolve(process.env[name]);
};
export const tool = needed('MEMBRANE');
export const page = pathToFileURL(needed('PAGE')).href;
export const wasm = needed('WASM');

export const folder = mkdtempSync(join(tmpdir(), 'membrane-page-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

// {code, out, err}; runs in the folder, so that messages name files without a path.
export function membrane(...words) {
  const { status, stdout, stderr } = spawnSync(tool, words, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 });
  return { code: status, out: stdout, err: stderr };
}
export const must = (...words) => execFileSync(tool, words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
// As the page shows it: without the tool's name and its advice to read the help.
export const sentence = (err) => err.trim().replace(/^membrane: /gm, '').replace(/; see `membrane [a-z ]*--help`$/, '');

let browser;
export async function openPage(address = '', { width = 1280, scheme = 'light' } = {}) {
  browser ??= await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, reducedMotion: 'reduce' });
  const tab = await context.newPage();
  tab.problems = [];
  tab.on('console', (message) => { if (['error', 'warning'].includes(message.type())) tab.problems.push(message.text()); });
  tab.on('pageerror', (error) => tab.problems.push(String(error)));
  tab.on('request', (request) => { if (!/^(file|blob|data):/.test(request.url())) tab.problems.push(`network: ${request.url()}`); });
  await tab.goto(page + address);
  await tab.waitForSelector('body[data-ready=yes]').catch((problem) => { throw new Error(`${problem.message}\n${tab.problems.join('\n')}`); });
  return tab;
}
export const closeBrowser = () => browser?.close();
