// The WebAssembly of the page in node: for making the page and for its tests.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export async function startTool(folder) {
  const create = createRequire(import.meta.url)(resolve(folder, 'membrane_page.js'));
  const written = { 1: [], 2: [] };
  const tool = await create({
    wasmBinary: readFileSync(join(folder, 'membrane_page.wasm')),
    stdin: () => null,
    stdout: (byte) => written[1].push(byte),
    stderr: (byte) => written[2].push(byte),
  });
  const textOf = (number) => Buffer.from(written[number].splice(0)).toString();
  return {
    FS: tool.FS,
    run(...words) {
      const bytes = Buffer.from(words.map((word) => `${word}\0`).join(''));
      const place = tool._malloc(bytes.length);
      tool.HEAPU8.set(bytes, place);
      const code = tool._page_run(place, bytes.length);
      tool._free(place);
      return { code, out: textOf(1), err: textOf(2) };
    },
  };
}
