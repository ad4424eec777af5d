// Part one: the form, the ranked kinds and the lines to copy.
import { find, findAll, make, show, copyButton } from './html.js';
import { addressOf, needs, questions, requestOf, sliders } from './request.js';
import { snippetsOf } from './snippets.js';

const form = () => find('#plan-form');

export function readForm() {
  const data = new FormData(form());
  const request = { question: data.get('question'), needs: new Set(data.getAll('needs').filter((need) => needs.includes(need))) };
  for (const name of ['keys', 'fpr', 'bits-per-key', 'max-bytes', 'grow-to']) request[name] = data.get(name) ?? '';
  return request;
}

function writeForm(request) {
  const fields = form().elements;
  fields.question.value = request.question;
  for (const name of ['keys', 'fpr', 'bits-per-key', 'max-bytes', 'grow-to']) fields[name].value = request[name];
  for (const box of findAll('[name=needs]')) box.checked = request.needs.has(box.value);
  showFields(request);
}

// Only the two sizes that are given are asked for.
function showFields(request) {
  for (const field of findAll('.field[data-name]', form())) {
    field.hidden = !questions[request.question].includes(field.dataset.name);
    const slider = find('input[type=range]', field);
    const position = sliders[field.dataset.name].position(find('input[type=text]', field).value);
    if (position !== null) slider.value = position;
    slider.setAttribute('aria-valuetext', find('input[type=text]', field).value);
  }
}

export function showProblem(problem) {
  const place = find('#plan-problem');
  place.textContent = problem;
  place.hidden = problem === '';
  find('#plan-answer').classList.toggle('stale', problem !== '');
}


const meanings = {
  absent: 'cache lines that a lookup of an absent key reads, on average',
  worst: 'cache lines that a lookup of an absent key reads, at worst',
  present: 'cache lines that a lookup of a present key reads, on average',
  beyond: 'what comes of more keys than planned',
  can: 'operations besides insertion and lookup',
};

function tableOf({ table, plan }) {
  const [titles, ...rows] = table;
  const used = titles.map((_, i) => i).filter((i) => table.some((row) => row[i] !== ''));
  const words = new Set(['can', 'beyond', '  kind']);
  const head = make('tr', {}, used.map((i) => make('th', {
    scope: 'col', class: words.has(titles[i]) ? '' : 'number', title: meanings[titles[i]],
  }, titles[i].trim() || 'keys')));
  const body = [];
  for (const candidate of plan.candidates) {
    const row = rows.find((each) => each[0].slice(2) === candidate.kind);
    const isChosen = plan.chosen === candidate.kind;
    const name = make('span', { class: 'kind' }, candidate.kind);
    const badge = isChosen ? make('span', { class: 'badge' }, 'chosen') : null;
    const group = make('tbody', { class: isChosen ? 'chosen' : row ? '' : 'unfit' });
    if (row)
      group.append(make('tr', {}, used.map((i) => (i === 0
        ? make('th', { scope: 'row' }, name, badge)
        : make('td', { class: words.has(titles[i]) ? '' : 'number' }, row[i])))));
    else
      group.append(make('tr', {}, make('th', { scope: 'row' }, name), make('td', { colspan: used.length - 1, class: 'lacks' }, 'does not fit')));
    group.append(make('tr', { class: 'why' }, make('td', { colspan: used.length }, make('p', {}, candidate.why))));
    body.push(group);
  }
  return make('table', { class: 'ranking' }, make('caption', { class: 'unseen' }, 'All kinds, best first'), make('thead', {}, head), ...body);
}

const bytesPerKey = (bits) => (bits / 8).toFixed(2);

function summaryOf({ plan, table }) {
  const row = table.find((each) => each[0].startsWith('* '));
  if (!row) return make('p', { class: 'summary' }, `Nothing fits: ${plan.advice}.`);
  const filter = plan.candidates[0].filter;
  const figure = (value, name) => make('div', { class: 'figure' }, make('strong', {}, value), make('span', {}, name));
  return make('div', { class: 'figures' },
    figure(row[4], 'file'), figure(row[3], `bits per key, ${bytesPerKey(filter.bits_per_key)} bytes`),
    figure(row[2], 'false positives'), figure(row[8], 'cache lines per absent key'));
}

function notesOf({ plan, warning }) {
  const notes = [];
  if (warning) notes.push(make('p', { class: 'warning' }, `Warning: ${warning}.`));
  if (plan.outside)
    notes.push(make('p', {}, `Elsewhere: ${plan.outside.name}, ${plan.outside.bits_per_key.toFixed(2)} bits per key by its formula (${plan.outside.why}).`));
  notes.push(make('p', { class: 'soft' },
    `absent, worst, present: cache lines (64 bytes) that a lookup reads. No filter of this rate can do with less than ${plan.least_bits_per_key.toFixed(2)} bits per key.`));
  return notes;
}

let chosenSnippet = 'Command';
function showSnippets(plan, words) {
  const all = snippetsOf(plan, words);
  if (!all.some(([name]) => name === chosenSnippet)) chosenSnippet = 'Command';
  const text = () => all.find(([name]) => name === chosenSnippet)[1];
  const code = make('pre', { tabindex: 0, id: 'snippet' }, make('code', {}, text()));
  const tabs = all.map(([name]) => make('button', {
    type: 'button', class: 'tab', 'aria-pressed': String(name === chosenSnippet), onclick: (event) => {
      chosenSnippet = name;
      for (const tab of tabs) tab.setAttribute('aria-pressed', String(tab === event.currentTarget));
      code.firstChild.textContent = text();
    },
  }, name));
  show(find('#snippets'), make('div', { class: 'row' }, make('div', { class: 'tabs', role: 'group', 'aria-label': 'Language' }, ...tabs), copyButton(text)), code);
}

export function showOverview(overview, words) {
  showProblem('');
  find('#plan-question').textContent = overview.question;
  show(find('#plan-summary'), summaryOf(overview));
  show(find('#plan-table'), tableOf(overview));
  show(find('#plan-notes'), ...notesOf(overview));
  showSnippets(overview.plan, words);
}

// `ask` is called with each new request.
export function startPlan(ask) {
  const changed = () => {
    const request = readForm();
    showFields(request);
    history.replaceState(null, '', addressOf(request));
    ask(request);
  };
  form().addEventListener('input', ({ target }) => {
    if (target.type === 'range') {
      const field = target.closest('.field');
      find('input[type=text]', field).value = sliders[field.dataset.name].text(Number(target.value));
    }
    changed();
  });
  form().addEventListener('submit', (event) => event.preventDefault());
  find('#plan-link').append(copyButton(() => location.href, 'Copy a link to this plan'));
  addEventListener('hashchange', () => {
    writeForm(requestOf(location.hash));
    ask(readForm());
  });
  writeForm(requestOf(location.hash));
  return readForm();
}


