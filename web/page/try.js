// Part four: files. A text file is planned, built and measured; a filter file is described, verified and asked. All of it by commands of the
// tool, in a worker that has the file's memory to itself.
import { Tool, messageOf } from './tool.js';
import { find, make, show } from './html.js';

const mostBytes = 2 ** 30;
const leastTimedKeys = 10_000;  // below, the clock's step is longer than all lookups
let tool = null;
let job = 0;

function bytesText(bytes) {
  if (bytes >= 1e6) return `${(bytes / 1e6).toFixed(2)} MB`;
  return bytes >= 1e4 ? `${(bytes / 1e3).toFixed(1)} kB` : `${bytes.toLocaleString('en')} bytes`;
}
const verbs = { reading: 'Reading keys', filling: 'Filling the filter', members: 'Asking for every key', strangers: 'Asking for strangers' };

function showProgress({ verb, done, total, keys }) {
  const bar = find('#try-bar');
  if (total) bar.value = done / total;
  else bar.removeAttribute('value');
  find('#try-doing').textContent = `${verbs[verb] ?? verb}${keys ? `: ${Math.round(keys).toLocaleString('en')} keys` : ''}`;
}

const card = (title, ...content) => make('section', { class: 'card' }, make('h3', {}, title), content);

// The tool prints a name in 22 columns and its value; of a parameter, behind two blanks, a name in 24, a value in 14 and its meaning.
function rowsOf(text) {
  const rows = text.split('\n').filter((row) => row.trim() !== '');
  return make('dl', { class: 'rows' }, rows.map((row) => (row.startsWith('  ')
    ? make('div', { class: 'parameter' }, make('dt', {}, row.slice(2, 26).trim()), make('dd', {}, make('b', {}, row.slice(26, 40).trim()), ` ${row.slice(40).trim()}`))
    : make('div', {}, make('dt', {}, row.slice(0, 22).trim()), make('dd', {}, row.slice(22).trim() || row)))));
}

class ToolError extends Error {}
async function must(...words) {
  const answer = await tool.run(...words);
  if (answer.code > 1) throw new ToolError(messageOf(answer.err));
  return answer;
}

function download(name, bytes) {
  const address = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
  return make('a', { class: 'button primary', href: address, download: name, id: 'try-download' }, `Save ${name} (${bytesText(bytes.length)})`);
}

function askCard() {
  const answers = make('ul', { class: 'answers', 'aria-live': 'polite' });
  const field = make('input', { type: 'text', id: 'ask-word', autocomplete: 'off', spellcheck: 'false' });
  const ask = async (event) => {
    event.preventDefault();
    const [answer] = await tool.ask('ask', '--', field.value);
    const count = answer.count !== null && answer.may_contain ? `, at least ${answer.count} times` : '';
    answers.prepend(make('li', { class: answer.may_contain ? 'yes' : 'no' },
      make('b', {}, answer.word === '' ? '(the empty key)' : answer.word), answer.may_contain ? ` may be in it${count}` : ' is certainly not in it'));
    field.select();
  };
  return card('Ask words', make('form', { class: 'row', onsubmit: ask }, make('label', { for: 'ask-word' }, 'A key'), field, make('button', { class: 'primary' }, 'Ask')), answers);
}

async function describe(path, extra = []) {
  await must('hold', path);
  const info = await must('info', path);
  return [...extra, askCard(), card('What it is', rowsOf(info.out))];
}

const magic = [0x89, 0x4d, 0x42, 0x52];
async function isFilter(file) {
  const start = new Uint8Array(await file.slice(0, magic.length).arrayBuffer());
  return file.name.endsWith('.mbr') || magic.every((byte, i) => start[i] === byte);
}

async function tryFilter(file) {
  const checked = await must('verify', pathOf(file.name));
  const isFine = checked.code === 0;
  return describe(pathOf(file.name), [card(isFine ? 'Intact, and as planned' : 'Not as planned', rowsOf(checked.out))]);
}

const outputOf = (file) => `${file.name.replace(/\.[^.]*$/, '') || 'filter'}.mbr`;
// A name that begins with a dash would be an option.
const pathOf = (name) => (name.startsWith('-') ? `./${name}` : name);

function buildWords(file) {
  const data = new FormData(find('#try-form'));
  const words = ['build', pathOf(file.name), '-o', pathOf(outputOf(file)), '--force', '--json', '--memory', '1500MiB', '--fpr', data.get('try-fpr')];
  if (data.get('try-delete')) words.push('--delete');
  if (data.get('try-fixed')) words.push('--fixed');
  if (data.get('try-key').trim() !== '') words.push('--key', data.get('try-key').trim());
  return words;
}

async function tryKeys(file) {
  const start = performance.now();
  const built = await must(...buildWords(file));
  const seconds = (performance.now() - start) / 1000;
  const made = JSON.parse(built.out);
  const name = outputOf(file);
  const checked = JSON.parse((await must('verify', pathOf(name), '--members', pathOf(file.name), '--json')).out);
  const bytes = await tool.read(name);
  const figure = (value, meaning) => make('div', { class: 'figure' }, make('strong', {}, value), make('span', {}, meaning));
  const percent = (rate) => `${Number((100 * rate).toPrecision(3))} %`;
  const planned = checked.planned_fpr === null ? '' : ` (planned ${percent(checked.planned_fpr)})`;
  const result = card(`A filter of ${made.keys.toLocaleString('en')} keys`,
    make('div', { class: 'figures' },
      figure(bytesText(bytes.length), `of ${bytesText(file.size)}`), figure((8 * bytes.length / Math.max(1, made.keys)).toFixed(2), 'bits of the file per key'),
      figure(percent(checked.fpr), `false positives measured${planned}`), figure(String(checked.false_negatives), 'keys missed'),
      made.keys < leastTimedKeys ? null : figure(`${checked.ns_per_lookup.toFixed(0)} ns`, 'per lookup in this page'), figure(`${seconds.toFixed(1)} s`, 'to read and build')),
    make('p', {}, download(name, bytes)),
    make('ul', { class: 'notes' }, messageOf(built.err).split('\n').map((note) => make('li', {}, note))));
  return describe(pathOf(name), [result]);
}

async function start(file) {
  const own = ++job;
  tool?.close();
  const place = find('#try-result');
  const fail = (problem) => show(place, make('p', { class: 'problem', role: 'alert', id: 'try-problem' }, problem));
  show(place);
  find('#try-said').textContent = '';
  if (file.size > mostBytes) return fail(`${file.name}: ${bytesText(file.size)}; the page takes files up to 1 GiB. The tool takes any: membrane build ${file.name} -o F.mbr`);
  find('#try-busy').hidden = false;
  showProgress({ verb: 'Opening', done: 0, total: 1, keys: 0 });
  tool = new Tool((progress) => { if (own === job) showProgress(progress); });
  try {
    await tool.show([file]);
    const cards = await ((await isFilter(file)) ? tryFilter(file) : tryKeys(file));
    if (own === job) show(place, cards);
    if (own === job) find('#try-said').textContent = `Done: ${find('h3', place).textContent}`;
  } catch (problem) {
    if (own === job) fail(problem instanceof ToolError ? problem.message : `${file.name}: ${problem.message}; the page may have run out of memory`);
  } finally {
    if (own === job) find('#try-busy').hidden = true;
  }
}

export function startTry() {
  const zone = find('#drop');
  const field = find('#try-file');
  field.addEventListener('change', () => { if (field.files[0]) start(field.files[0]); });
  for (const name of ['dragenter', 'dragover'])
    zone.addEventListener(name, (event) => { event.preventDefault(); zone.classList.add('over'); });
  for (const name of ['dragleave', 'drop']) zone.addEventListener(name, () => zone.classList.remove('over'));
  zone.addEventListener('drop', (event) => { event.preventDefault(); if (event.dataTransfer.files[0]) start(event.dataTransfer.files[0]); });
  find('#try-stop').addEventListener('click', () => {
    ++job;
    tool?.close();
    find('#try-busy').hidden = true;
    show(find('#try-result'), make('p', {}, 'Stopped.'));
  });
  find('#try-sample').addEventListener('click', () => {
    const lines = Array.from({ length: 100000 }, (_, i) => `user-${i}@example.org\n`).join('');
    start(new File([lines], 'sample.txt', { type: 'text/plain' }));
  });
}
