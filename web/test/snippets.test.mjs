// The lines to copy work: in the tool and in a server with the module, if there is one.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { folder, membrane } from './support.mjs';
import { snippetsOf } from '../page/snippets.js';

const questions = [
  ['--keys', '10M', '--fpr', '0.1%'], ['--keys', '1M', '--fpr', '1%', '--delete'], ['--keys', '1M', '--grow-to', '100M'],
  ['--keys', '100k', '--bits-per-key', '12', '--static'], ['--keys', '1M', '--worst-reads', '1', '--merge'],
  ['--max-bytes', '1MiB', '--fpr', '1%', '--fixed'], ['--keys', '1M', '--intersect'],
];
const all = questions.map((words) => Object.fromEntries(snippetsOf(JSON.parse(membrane('plan', '--json', ...words).out), words)));

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
      const { stdout } = spawnSync('redis-cli', ['-p', port], { input: `DEL seen\n${lines}\n`, encoding: 'utf8' });
      assert.match(stdout, /^\d\nOK\n1\n1\n/, `${lines}\n${stdout}`);
    }
  } finally {
    server.kill();
  }
});
