// Every command of npm's redis client that the module serves, in one protocol: node_client.mjs PORT 2|3
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import bloom from '@redis/bloom';
import { createClient, RESP_TYPES } from 'redis';

const [port, protocol] = process.argv.slice(2).map(Number);
const client = createClient({ socket: { host: '127.0.0.1', port }, RESP: protocol });
await client.connect();
const { bf, cf, cms, topK } = client;

assert.equal(await bf.reserve('bf', 0.01, 1000, { EXPANSION: 2 }), 'OK');
assert.equal(await bf.add('bf', 'a'), true);
assert.equal(await bf.add('bf', 'a'), false);
assert.deepEqual(await bf.mAdd('bf', ['a', 'b', 'c']), [false, true, true]);
assert.equal(await bf.exists('bf', 'b'), true);
assert.equal(await bf.exists('bf', 'z'), false);
assert.deepEqual(await bf.mExists('bf', ['a', 'z']), [true, false]);
assert.deepEqual(await bf.insert('bf2', ['x', 'y'], { CAPACITY: 100, ERROR: 0.01 }), [true, true]);
assert.equal(await bf.card('bf'), 3);
const bfInfo = await bf.info('bf');
assert.equal(bfInfo['Capacity'], 1000);
assert.equal(bfInfo['Number of items inserted'], 3);
assert.equal(bfInfo['Expansion rate'], 2);

assert.equal(await cf.reserve('cf', 1000, { BUCKETSIZE: 4, MAXITERATIONS: 10, EXPANSION: 1 }), 'OK');
assert.equal(await cf.add('cf', 'a'), true);
assert.equal(await cf.addNX('cf', 'a'), false);
assert.equal(await cf.count('cf', 'a'), 1);
assert.equal(await cf.exists('cf', 'a'), true);
assert.deepEqual(await cf.mExists('cf', ['a', 'z']), [true, false]);
assert.deepEqual(await cf.insert('cf', ['b', 'b']), [true, true]);
assert.equal((await cf.insertNX('cf', ['b', 'c'])).map(Number).join(), '0,1');
assert.equal(await cf.del('cf', 'b'), true);
assert.equal(await cf.del('cf', 'nobody'), false);
const cfInfo = await cf.info('cf');
assert.equal(cfInfo['Number of items inserted'], 3);
assert.equal(cfInfo['Number of items deleted'], 1);
assert.equal(cfInfo['Bucket size'], 4);

assert.equal(await cms.initByDim('cms', 1000, 5), 'OK');
assert.equal(await cms.initByProb('cmsp', 0.01, 0.01), 'OK');
assert.deepEqual(await cms.incrBy('cms', [{ item: 'a', incrementBy: 3 }, { item: 'b', incrementBy: 4 }]), [3, 4]);
assert.deepEqual(await cms.query('cms', ['a', 'z']), [3, 0]);
assert.equal(await cms.initByDim('sum', 1000, 5), 'OK');
assert.equal(await cms.merge('sum', [{ name: 'cms', weight: 2 }]), 'OK');
assert.deepEqual(await cms.query('sum', ['a']), [6]);
const cmsInfo = await cms.info('cms');
assert.deepEqual([cmsInfo.width, cmsInfo.depth, cmsInfo.count], [1000, 5, 7]);

assert.equal(await cms.merge('sum', ['cms', 'sum']), 'OK');

assert.equal(await topK.reserve('topk', 3, { width: 50, depth: 4, decay: 0.9 }), 'OK');
assert.deepEqual(await topK.add('topk', ['a', 'b', 'a']), [null, null, null]);
assert.deepEqual(await topK.incrBy('topk', [{ item: 'c', incrementBy: 7 }, { item: 'd', incrementBy: 8 }]), [null, 'b']);
assert.deepEqual(await topK.query('topk', ['a', 'b']), [true, false]);
assert.deepEqual(await topK.count('topk', ['a', 'c']), [2, 7]);
assert.deepEqual(await topK.list('topk'), ['d', 'c', 'a']);
assert.deepEqual((await topK.listWithCount('topk')).map(({ item, count }) => [item, count]), [['d', 8], ['c', 7], ['a', 2]]);
const topInfo = await topK.info('topk');
assert.deepEqual([topInfo.k, topInfo.width, topInfo.depth, Number(topInfo.decay)], [3, 50, 4, 0.9]);

// An empty filter has nothing to dump.
assert.equal(await cf.reserve('empty', 4), 'OK');
assert.deepEqual({ ...(await cf.scanDump('empty', 0)) }, { iterator: 0, chunk: null });

// Every command of the client's families is called in this file.
const commands = bloom.default ?? bloom;
const text = readFileSync(new URL(import.meta.url), 'utf8');
for (const family of ['bf', 'cf', 'cms', 'topK'])
    for (const name of Object.keys(commands[family]).filter((each) => /^[a-z]/.test(each)))
        assert.ok(text.includes(`${family}.${name}(`) || text.includes(`family.${name}(`), `${family}.${name} is not called`);

// Bytes, not text: the client would decode chunks as UTF-8 otherwise.
const binary = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
for (const [family, key, copy] of [[binary.bf, 'bf', 'bf3'], [binary.cf, 'cf', 'cf3']]) {
    let iterator = 0;
    for (;;) {
        const part = await family.scanDump(key, iterator);
        if (part.iterator === 0) break;
        assert.equal(await family.loadChunk(copy, part.iterator, part.chunk), 'OK');
        iterator = part.iterator;
    }
    assert.equal(await family.exists(copy, 'a'), true);
}
await client.flushAll();
client.destroy();
console.log(`RESP${protocol}: done`);
