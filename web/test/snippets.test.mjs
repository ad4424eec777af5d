// The lines to copy work: in the tool, in C++ and Python, and in a server with the module. What is not built is skipped.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { folder, membrane, tool } from './support.mjs';
import { snippetsOf } from '../page/snippets.js';

const questions = [
  ['--keys', '10M', '--fpr', '0.1%'], ['--keys', '1M', '--fpr', '1%', '--delete'], ['--keys', '1M', '--grow-to', '100M'],
  ['--keys', '100k', '--bits-per-key', '12', '--static'], ['--keys', '1M', '--worst-reads', '1', '--merge'],
  ['--max-bytes', '1MiB', '--fpr', '1%', '--fixed'], ['--keys', '1M', '--intersect'],
];
const plans = questions.map((words) => JSON.parse(membrane('plan', '--json', ...words).out));
const all = plans.map((plan, i) => Object.fromEntries(snippetsOf(plan, questions[i])));
const built = dirname(dirname(tool));

test('the commands to copy build a filter of the planned kind', () => {
  all.forEach((snippets, i) => {
    const [plan, build] = snippets.Command.split('\n');
    assert.equal(plan, `membrane plan ${questions[i].join(' ')}`);
    const words = build.split(' ').slice(1).map((word) => ({ 'KEYS.txt': '/dev/null', 'F.mbr': `planned${i}.mbr` })[word] ?? word);
    const made = membrane(...words, '--allow-empty', '--json');
    assert.equal(made.code, 0, made.err);
    assert.equal(JSON.parse(made.out).kind, words[words.indexOf('--kind') + 1].split(':')[0]);
  });
});

// A program says kind, bytes, and whether "alice" was found, for each of its filters. The kind is the planned one; the size also, but for
// some hundred bytes of a header.
function checkSaid(text) {
  const said = text.trim().split('\n').map((line) => line.split(' '));
  assert.equal(said.length, plans.length, text);
  said.forEach(([kind, bytes, found], i) => {
    const { filter } = plans[i].candidates[0];
    assert.equal(kind, plans[i].chosen, questions[i].join(' '));
    assert.ok(Math.abs(Number(bytes) - filter.size_bytes) < 0.01 * filter.size_bytes + 512, `${questions[i].join(' ')}: ${bytes} bytes, planned ${filter.size_bytes}`);
    assert.equal(found, '1');
  });
}

const library = join(built, 'libmembrane++.a');
test('the lines for C++ make the planned filters', { skip: existsSync(library) ? false : 'the library is not built' }, () => {
  const include = '#include <membrane/membrane.hpp>';
  const blocks = all.map(({ 'C++': lines }) => {
    assert.ok(lines.startsWith(`${include}\n`), lines);
    return `{\n${lines.slice(include.length)}\nstd::printf("%s %llu %d\\n", std::string(seen.kind()).c_str(), (unsigned long long)seen.size_bytes(), int(seen.may_contain("alice")));\n}\n`;
  });
  const program = join(folder, 'lines.cpp');
  writeFileSync(program, `${include}\n#include <cstdio>\n#include <string>\nvoid look_it_up() {}\nint main() {\n${blocks.join('')}}\n`);
  const source = resolve(import.meta.dirname ?? dirname(new URL(import.meta.url).pathname), '../../include');
  const made = spawnSync('c++', ['-std=c++20', '-Wall', '-Wextra', '-Werror', `-I${source}`, program, library, '-pthread', '-o', join(folder, 'lines')], { encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
  checkSaid(spawnSync(join(folder, 'lines'), { encoding: 'utf8' }).stdout);
});

const package_ = join(built, 'python');
test('the lines for Python make the planned filters', { skip: existsSync(join(package_, 'membrane')) ? false : 'the package is not built' }, () => {
  const program = all.map(({ Python: lines }) => `${lines}\nprint(seen.kind, seen.nbytes, int('alice' in seen))\n`).join('');
  const done = spawnSync('/usr/bin/python3', ['-c', `def look_it_up(): pass\n${program}`], { encoding: 'utf8', env: { ...process.env, PYTHONPATH: package_ } });
  assert.equal(done.status, 0, done.stderr);
  checkSaid(done.stdout);
});

const modulePath = resolve(process.env.MODULE ?? 'build/redis/membrane.so');
const hasServer = existsSync(modulePath) && spawnSync('redis-server', ['--version']).status === 0;
test('a server takes the lines for Redis', { skip: hasServer ? false : 'no redis-server, or the module is not built' }, async () => {
  const port = await new Promise((found) => {
    const probe = createServer().listen(0, '127.0.0.1', () => { const { port: free } = probe.address(); probe.close(() => found(free)); });
  });
  const server = spawn('redis-server', ['--port', port, '--bind', '127.0.0.1', '--save', '', '--dir', folder, '--loadmodule', modulePath]);
  try {
    await new Promise((ready, failed) => {
      server.stdout.on('data', (text) => { if (String(text).includes('Ready to accept')) ready(); });
      server.on('exit', () => failed(new Error('the server ended')));
    });
    for (const { Redis: lines } of all) {
      const ask = (input) => spawnSync('redis-cli', ['-p', port], { input, encoding: 'utf8' }).stdout;
      if (lines.startsWith('membrane build')) {
        writeFileSync(join(folder, 'KEYS.txt'), 'alice\n');
        ask('DEL seen\n');
        const shell = `set -e\nmembrane() { ${tool} "$@"; }\n${lines.replace('6379', port).replace(' -o F.mbr', ' --force -o F.mbr')}`;
        const pushed = spawnSync('bash', ['-c', shell], { cwd: folder, encoding: 'utf8' });
        assert.equal(pushed.status, 0, `${lines}\n${pushed.stderr}`);
        assert.equal(ask('BF.EXISTS seen alice\n'), '1\n', lines);
        continue;
      }
      const stdout = ask(`DEL seen\n${lines}\n`);
      assert.match(stdout, /^\d\nOK\n1\n1\n/, `${lines}\n${stdout}`);
    }
  } finally {
    server.kill();
  }
});
