// Part three: the pictures. Each has its words beside it, the words that it inserts, and two functions of a step: what is drawn and what is
// said. Every step was computed by the structure itself (web/wasm/picture_*.cpp).
import { make } from './html.js';

const plural = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;
const verdict = (step) => (step.answer ? `“${step.word}” may be in the filter.` : `“${step.word}” is certainly not in the filter.`);

function bitGrid(size, bits, marks = {}) {
  const on = new Set(bits);
  return make('div', { class: 'bits', 'aria-hidden': 'true' }, Array.from({ length: size }, (_, i) => make('span', {
    class: ['bit', on.has(i) ? 'on' : '', marks[i] ?? ''].join(' '),
  }, String(i))));
}

const chip = (text, kind = '') => make('span', { class: `chip ${kind}` }, text);
const legend = (...entries) => make('div', { class: 'legend', 'aria-hidden': 'true' }, entries.map(([kind, text]) => make('span', {}, make('i', { class: kind }), text)));

// ---- double hashing

const probes = {
  id: 'probes',
  title: 'Two hashes are enough',
  paper: 'Kirsch and Mitzenmacher, “Less hashing, same performance: building a better Bloom filter”',
  about: [
    'A Bloom filter is an array of bits. Each key sets k of them. A lookup checks the same k bits: if one is not set, the key was never inserted.',
    'k positions seem to need k hash functions. The paper shows that two are enough: a start and a stride. Position i is start + i · stride, around the end of the array.',
    'The rate of false positives stays the same in the limit; the library’s models say how much it differs in a small array, and the planner takes other probes there.',
  ],
  words: ['ann', 'bob', 'cleo', 'dan', 'eve', '?ann', '?frank', '?grace'],
  draw: (data, step) => {
    const marks = {};
    step.positions.forEach((at, i) => { marks[at] = i + 1 === step.positions.length ? 'now' : 'seen'; });
    if (step.is_question && !step.was_set && step.is_last) marks[step.positions.at(-1)] = 'missing';
    return [
      make('p', { class: 'line' }, chip(step.word, step.is_question ? 'question' : ''), ` start ${step.start}, stride ${step.stride}`),
      make('p', { class: 'line formula' }, step.positions.map((at, i) => [i === 0 ? '' : ` + ${step.stride} → `, make('b', {}, String(at))])),
      bitGrid(data.size, step.bits, marks),
      legend(['on', 'bit is set'], ['now', 'looked at now'], ['missing', 'not set: absent']),
    ];
  },
  say: (data, step) => {
    const at = step.positions.at(-1);
    if (!step.is_question)
      return `Position ${step.probe + 1} of ${data.k} of “${step.word}” is bit ${at}${step.probe === 0 ? ', the start' : ''}${step.was_set ? '; another key has set it already' : ''}.${step.is_last ? ' All are set now.' : ''}`;
    if (!step.was_set) return `Bit ${at} is not set. ${verdict(step)}`;
    return `Bit ${at} is set${step.is_last ? `, and so are the others. ${verdict(step)}` : '. Go on.'}`;
  },
};

// ---- two choices

const choices = {
  id: 'choices',
  title: 'The power of two choices',
  paper: 'Lumetta and Mitzenmacher, “Using the power of two choices to improve Bloom filters”',
  about: [
    'Each key has two groups of k positions instead of one, and sets the group that needs fewer new bits. So the array stays emptier.',
    'A lookup says yes if either group is all ones. That is a second chance for a false positive, but with fewer ones in the array the rate falls nevertheless.',
    'When all keys are known beforehand, they can choose together in many rounds: that is -\u2060-\u2060static, the lowest rate of all kinds here.',
  ],
  words: ['ann', 'bob', 'cleo', 'dan', 'eve', 'frank', 'grace', 'hugo', 'ida', 'jan', 'kim', 'lea', '?ann', '?mia'],
  draw: (data, step) => {
    const marks = {};
    step.groups.forEach((group, g) => group.forEach((at) => {
      marks[at] = `group${g}${step.is_last && !step.is_question && g !== step.taken ? ' left' : ''}`;
    }));
    const groupText = (g) => make('span', { class: `group group${g}${step.taken === g && step.is_last && !step.is_question ? ' taken' : ''}` },
      `group ${g + 1}: `, make('b', {}, plural(step.new_bits[g], 'unset bit')));
    return [
      make('p', { class: 'line' }, chip(step.word, step.is_question ? 'question' : ''), ' ', groupText(0), ' ', groupText(1)),
      bitGrid(data.size, step.bits, marks),
      make('p', { class: 'line soft' }, `${plural(step.ones, 'one')} in the array; without a choice there would be ${step.ones_without_choice}.`),
    ];
  },
  say: (data, step) => {
    if (step.is_question) return `Unset bits in the groups of “${step.word}”: ${step.new_bits.join(' and ')}. ${verdict(step)}`;
    if (!step.is_last) return `“${step.word}” looks at both groups: one needs ${plural(step.new_bits[0], 'new bit')}, the other ${step.new_bits[1]}.`;
    return `It sets group ${step.taken + 1}, which needed ${plural(step.new_bits[step.taken], 'new bit')}.`;
  },
};

// ---- balanced blocks

function blockColumn(block, i, step, data, isSecond) {
  const cells = Array.from({ length: data.threshold }, (_, level) => make('span', { class: `slot ${level < block.load ? 'on' : ''}` }));
  const isHere = step.to === i;
  return make('div', { class: `block ${isHere ? (step.is_refused ? 'refusing' : 'now') : ''} ${block.has_refused ? 'has-refused' : ''} ${isSecond ? 'second' : ''}` },
    make('div', { class: 'slots' }, cells.reverse()), make('small', {}, String(i + 1)));
}

const blocks = {
  id: 'blocks',
  title: 'Blocks that say no',
  paper: 'Kanizo, Hay and Keslassy, “Access-efficient balanced Bloom filters”',
  about: [
    'A blocked Bloom filter puts all bits of a key into one block, one cache line. Chance makes some blocks much fuller than others, and full blocks cause most false positives.',
    'A balanced filter counts the keys of each block and refuses more than a threshold. A refused key goes on to a block of a second, smaller table, and at last into a list.',
    'A block remembers whether it has ever refused. So a lookup goes on only from blocks that have: nearly all lookups still read one line.',
  ],
  words: ['ann', 'bob', 'cleo', 'dan', 'eve', 'frank', 'grace', 'hugo', 'ida', 'jan', 'kim', 'lea', 'max', 'nora', 'otto', 'pia', 'quinn', 'rosa', 'sam', 'tess', 'uma', 'vic', 'wim', 'xena', '?zoe', '?ann'],
  draw: (data, step) => {
    const first = step.blocks.slice(0, data.first_blocks);
    const second = step.blocks.slice(data.first_blocks);
    return [
      make('p', { class: 'line' }, chip(step.word, step.is_question ? 'question' : '')),
      make('div', { class: 'tables', 'aria-hidden': 'true' },
        make('div', { class: 'table' }, make('small', {}, `first table: at most ${data.threshold} keys each`), make('div', { class: 'blocks' }, first.map((block, i) => blockColumn(block, i, step, data, false)))),
        make('div', { class: 'table' }, make('small', {}, 'second table'), make('div', { class: 'blocks' }, second.map((block, i) => blockColumn(block, i + data.first_blocks, step, data, true)))),
        make('div', { class: `table list ${step.to === null ? 'now' : ''}` }, make('small', {}, 'list'), make('b', {}, String(step.listed)))),
      make('div', { class: 'plain', 'aria-hidden': 'true' }, make('small', {}, 'without thresholds the first blocks would hold'), make('span', {}, step.plain.map((load) => make('i', { class: load > data.threshold ? 'over' : '' }, String(load))))),
    ];
  },
  say: (data, step) => {
    if (step.to === null) return `Both refused “${step.word}”: it goes into the list of exact hashes.`;
    const name = `block ${step.to + 1}`;
    if (step.is_question)
      return step.is_refused ? `${name} does not have the bits of “${step.word}”, but it has refused keys: ask the next one.` : `${name} decides. ${verdict(step)}`;
    if (step.answer) return `All bits of “${step.word}” are set in ${name} already: nothing to do.`;
    return step.is_refused ? `${name} is full and refuses “${step.word}”. It remembers that.` : `“${step.word}” drops into ${name}.`;
  },
};

// ---- a line

const two = (number) => number.toString(16).padStart(2, '0');

function lineRow(line, cells, name, isHere, entry, fresh) {
  const filled = line.entries.map((each) => make('span', {
    class: `cell on chain${each.chain % 8} ${entry && each.chain === entry.chain && each.fingerprint === entry.fingerprint ? 'now' : ''} ${fresh.has(`${each.chain}.${each.fingerprint}`) ? 'fresh' : ''}`,
  }, make('sup', {}, String(each.chain)), two(each.fingerprint)));
  const empty = Array.from({ length: Math.max(0, cells - filled.length) }, () => make('span', { class: 'cell' }, '·'));
  return make('div', { class: `line-row ${isHere ? 'here' : ''}` }, make('small', {}, name, line.has_forwarded ? make('em', {}, ' forwards') : ''), make('div', { class: 'cells' }, filled, empty));
}

const keysOf = (line) => new Set(line.entries.map((each) => `${each.chain}.${each.fingerprint}`));
function freshOf(line, before) {
  if (!before) return keysOf(line);
  const old = keysOf(before);
  return new Set([...keysOf(line)].filter((key) => !old.has(key)));
}
const none = new Set();

const line = {
  id: 'line',
  title: 'A cache line that sorts itself',
  paper: 'Hua, Zhao, Lin and Xu, “Rank-indexed hashing: a compact construction of Bloom filters and variants”; that a line keeps its lowest entries is after the Prefix filter (VLDB 2022)',
  about: [
    'The hash of a key names a line of 64 bytes, a chain in it and a fingerprint of a few bits. Entries stand in order of chain and fingerprint; the chains are found by counting bits, so an entry costs one or two bits beside its fingerprint.',
    'A full line keeps its lowest entries and forwards the highest one to a line of a second table. So a lookup whose entry lies below the highest one kept knows: if it is not here, it is nowhere. It reads one line.',
    'Here a line has 8 cells; real ones have about 50.',
  ],
  words: ['ann', 'bob', 'cleo', 'dan', 'eve', 'frank', 'grace', 'hugo', 'ida', 'jan', 'kim', 'lea', 'max', 'nora', 'otto', 'pia', 'quinn', 'rosa', 'sam', 'tess', 'uma', '?ann', '?zoe'],
  draw: (data, step, before) => [
    make('p', { class: 'line' }, chip(step.word, step.is_question ? 'question' : ''), ` number ${step.number} of ${data.universe}: line ${step.line + 1}, chain ${step.entry.chain}, fingerprint ${two(step.entry.fingerprint)}`),
    make('div', { class: 'lines', 'aria-hidden': 'true' },
      step.lines.map((each, i) => lineRow(each, data.cells, `line ${i + 1}`, step.line === i, step.line === i ? step.entry : null, step.is_question ? none : freshOf(each, before?.lines[i]))),
      step.second.map((each, i) => lineRow(each, data.second_cells, `second table, line ${i + 1}`, false, null, step.is_question ? none : freshOf(each, before?.second[i])))),
  ],
  say: (data, step, before) => {
    if (step.is_question) return `Line ${step.line + 1}, chain ${step.entry.chain}, fingerprint ${two(step.entry.fingerprint)}. ${verdict(step)}`;
    if (step.answer) return `“${step.word}” has the entry of another word: it looks present already, and nothing changes.`;
    const isFull = before && before.lines[step.line].entries.length === data.cells;
    if (!isFull) return `“${step.word}” takes its place in line ${step.line + 1}, in order.`;
    const stays = step.lines[step.line].entries.some((each) => each.chain === step.entry.chain && each.fingerprint === step.entry.fingerprint);
    return stays ? `Line ${step.line + 1} is full: “${step.word}” goes in, and the highest entry is forwarded to the second table.` : `Line ${step.line + 1} is full of lower entries: “${step.word}” is forwarded to the second table.`;
  },
};

// ---- growth

const growth = {
  id: 'growth',
  title: 'Growing without the keys',
  paper: 'Our own, described in doc/growth.md',
  about: [
    'Every key is a number below a fixed universe. Line, chain and fingerprint are only its digits in bases that the layout chooses. So the numbers can be read back from the lines, and laid out anew in more lines, without the keys.',
    'The filter grows in place, from the last line to the first, a line at a time: numbers above the frontier are in the new layout, those below it in the old one. A lookup compares its number with the frontier.',
    'Your words keep their number for ever; only their line and their fingerprint change.',
  ],
  words: ['ann', 'bob', 'cleo'],
  draw: (data, step) => {
    const kinds = { o: 'old', n: 'new', '-': 'free' };
    const marked = new Map(step.words.map((word, i) => [word.line, i]));
    return [
      make('p', { class: 'line' }, make('b', {}, `${step.keys.toLocaleString('en')} keys`),
        ` in ${plural(step.entries.length, 'line')}, ${(step.bytes / 1000).toFixed(1)} kB, ${(8 * step.bytes / step.keys).toFixed(1)} bits per key `, step.is_growing ? chip('growing', 'question') : null),
      make('div', { class: 'memory', 'aria-hidden': 'true' }, step.entries.map((entries, i) => make('span', { class: `bar ${kinds[step.layouts[i]]} ${marked.has(i) ? 'marked' : ''}` },
        make('i', { style: `height:${Math.round((100 * entries) / 64)}%` })))),
      legend(['old', 'line in the old layout'], ['new', 'in the new layout'], ['free', 'not yet in use'], ['mark', 'has one of your words']),
      make('div', { class: 'places' }, step.words.map((word) => make('p', { class: 'line' }, chip(word.word), ` number ${word.number.toLocaleString('en')}: line ${word.line + 1}, chain ${word.entry.chain}, fingerprint ${two(word.entry.fingerprint)}`))),
    ];
  },
  say: (data, step, before) => {
    const isNew = [...step.layouts].filter((each) => each === 'n').length;
    if (step.is_growing && !before?.is_growing) return `A quarter of the overflow list is full at ${step.keys} keys: the filter begins to grow to ${plural(step.entries.length, 'line')}.`;
    if (step.is_growing) return `${isNew} of ${step.entries.length} lines are written anew. Every insertion moves one more.`;
    if (before?.is_growing) return `Every line is in the new layout: there is room for more keys, and no key was needed.`;
    return `${step.keys} keys in ${plural(step.entries.length, 'line')}.`;
  },
};

export const pictures = [probes, choices, blocks, line, growth];
