// node long_keys.mjs [KEYS [PART]]: for each kind, the tool and the WebAssembly in node make a filter of the same keys and hash key; the files must
// be equal byte for byte, and all members and as many strangers must get equal answers. 10,000,000 keys each by default,
// other ones in each part.
import { createHash } from 'node:crypto';
import { openSync, writeSync, closeSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder, membrane, wasm } from './support.mjs';
import { startTool } from '../tool.mjs';

const keys = Number(process.argv[2] ?? 10_000_000);
const beginning = keys * (Number(process.argv[3] ?? 1) - 1);
const kinds = ['bloom', 'counting_bloom', 'blocked_bloom', 'choice_bloom', 'balanced_bloom', 'rank', 'balanced_rank:form=fixed', 'balanced_rank', 'balanced_rank:form=erasable', 'count_min'];
const file = openSync(join(folder, 'keys.u64'), 'w');
for (let first = 0; first < keys; first += 1 << 20) {
  const piece = new BigUint64Array(Math.min(1 << 20, keys - first)).map((_, i) => BigInt(beginning + first + i) * 0x9e3779b97f4a7c15n);
  writeSync(file, new Uint8Array(piece.buffer));
}
closeSync(file);
const input = readFileSync(join(folder, 'keys.u64'));
const digest = (bytes) => createHash('sha256').update(bytes).digest('hex').slice(0, 16);
const answersOf = (json) => (({ members, false_negatives, probes, false_positives }) => JSON.stringify({ members, false_negatives, probes, false_positives }))(JSON.parse(json));

let failures = 0;
for (const kind of kinds) {
  const build = (output) => ['build', 'keys.u64', '-o', output, '--force', '-q', '--format', 'u64', '--fpr', '1%', '--kind', kind, '--key', '000102030405060708090a0b0c0d0e0f'];
  const verify = (name) => ['verify', name, '--members', 'keys.u64', '--format', 'u64', '--probes', String(keys), '--json'];
  const start = performance.now();
  const native = membrane(...build('native.mbr'));
  const middle = performance.now();
  const tool = await startTool(wasm);
  tool.FS.writeFile('keys.u64', input);
  const before = performance.now();
  const made = tool.run(...build('page.mbr'));
  const end = performance.now();
  const [a, b] = made.code === 0 && native.code === 0 ? [readFileSync(join(folder, 'native.mbr')), tool.FS.readFile('page.mbr')] : [native.err, made.err];
  const answers = [membrane(...verify('native.mbr')).out, tool.run(...verify('page.mbr')).out].map((json) => (json ? answersOf(json) : 'none'));
  const isEqual = made.code === 0 && native.code === 0 && digest(a) === digest(b) && answers[0] === answers[1] && JSON.parse(answers[0]).members === keys;
  if (!isEqual) ++failures;
  console.log(`${isEqual ? 'equal' : 'DIFFERENT'}  ${kind.padEnd(30)} ${String(a.length).padStart(10)} bytes  built in ${((middle - start) / 1000).toFixed(1)} s by the tool, ${((end - before) / 1000).toFixed(1)} s here  ${answers[0]}${isEqual ? '' : ` here ${answers[1]} ${made.err}`}`);
}
if (failures === 0) console.log(`${keys} wasm keys`);
process.exitCode = failures === 0 ? 0 : 1;
