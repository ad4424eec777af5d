// node bundle.mjs WASM_FOLDER OUTPUT: joins scripts, styles and the WebAssembly to one HTML file.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, transform } from 'esbuild';
import { startTool } from './tool.mjs';
import { usual, wordsOf } from './page/request.js';

const mostBytes = 3_000_000;
const here = dirname(fileURLToPath(import.meta.url));
const [folder, output] = process.argv.slice(2);

async function scriptOf(file) {
  const made = await build({ entryPoints: [join(here, 'page', file)], bundle: true, minify: true, format: 'iife', target: 'es2022', write: false, legalComments: 'none' });
  // The end of a script element must not stand in it.
  return made.outputFiles[0].text.replaceAll('</script', '<\\/script');
}
async function styleOf(file) {
  const made = await build({ entryPoints: [join(here, 'page', file)], minify: true, write: false });
  return made.outputFiles[0].text;
}

async function minified(text) {
  return (await transform(text, { minify: true, target: 'es2022', legalComments: 'none' })).code.replaceAll('</script', '<\\/script');
}

const glue = await minified(readFileSync(join(folder, 'membrane_page.js'), 'utf8'));
const wasm = gzipSync(readFileSync(join(folder, 'membrane_page.wasm')), { level: 9 }).toString('base64');
const tool = await startTool(folder);
const overview = (...words) => JSON.parse(tool.run('overview', ...words, ...wordsOf(usual())).out);
const widths = [358, 1064];  // of the charts on a phone and on a desk
const first = JSON.stringify({
  overview: overview(),
  charts: widths.map((width) => ({ width, drawn: overview('--charts', '--width', width) })),
}).replaceAll('<', '\\u003c');

const parts = {
  '/*STYLE*/': await styleOf('style.css'),
  '<!--VERSION-->': tool.run('--version').out.replace('membrane ', '').trim(),
  '<!--FIRST-->': first,
  '<!--MAIN-->': await scriptOf('main.js'),
  '<!--WORKER-->': `${glue}\n${await scriptOf('worker.js')}`,
  '<!--WASM-->': wasm,
};
let page = readFileSync(join(here, 'page', 'index.html'), 'utf8');
for (const [mark, text] of Object.entries(parts)) page = page.replace(mark, () => text);
writeFileSync(output, page);
const kilo = (text) => `${Math.round(Buffer.byteLength(text) / 1000)} kB`;
console.log(`${output}: ${kilo(page)} (WebAssembly, packed and as text: ${kilo(wasm)}; script around it: ${kilo(glue)})`);
if (Buffer.byteLength(page) > mostBytes) {
  console.error(`bundle: the page has more than ${mostBytes} bytes`);
  process.exitCode = 1;
}
