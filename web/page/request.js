// What is asked of the planner: the fields of the form, the part of the address behind #, and the words of `membrane plan`. Values stay the
// texts that were typed ("10M", "0.1%"): only the tool reads them, once they are written as it writes them.

// Which two sizes are given; the planner finds the third.
export const questions = {
  rate: ['keys', 'fpr'],
  bits: ['keys', 'bits-per-key'],
  memory: ['keys', 'max-bytes'],
  fit: ['max-bytes', 'fpr'],
};
export const needs = ['delete', 'count', 'merge', 'intersect', 'grow', 'static', 'fixed', 'one-line'];

export const usual = () => ({
  question: 'rate', keys: '10M', fpr: '0.1%', 'bits-per-key': '12', 'max-bytes': '64MiB', 'grow-to': '', needs: new Set(),
});

// People write "10,000,000", "10 million", "0.1 %" and "64 MB"; so does the page. A comma that does not part thousands stays, and is refused.
const unitNames = { thousand: 'k', million: 'M', billion: 'G' };
export function tidy(text) {
  const short = text.replace(/[\s_\u00a0\u202f]+/g, '').replace(/(?<=\d)(thousand|million|billion)$/i, (name) => unitNames[name.toLowerCase()]);
  return /^\d{1,3}(,\d{3})+(?!\d)/.test(short) ? short.replaceAll(',', '') : short;
}

// The first size that is asked for and not given, or null.
export const missingOf = (request) => questions[request.question].find((name) => tidy(request[name]) === '') ?? null;

export function wordsOf(request) {
  const words = [];
  const value = (name) => { if (tidy(request[name]) !== '') words.push(`--${name}`, tidy(request[name])); };
  for (const name of questions[request.question]) value(name);
  value('grow-to');
  for (const need of needs) {
    if (!request.needs.has(need)) continue;
    if (need === 'one-line') words.push('--worst-reads', '1');
    else words.push(`--${need}`);
  }
  return words;
}

export function addressOf(request) {
  const parts = new URLSearchParams();
  parts.set('plan', request.question);
  for (const name of [...questions[request.question], 'grow-to'])
    if (request[name].trim() !== '') parts.set(name, request[name].trim());
  if (request.needs.size !== 0) parts.set('needs', needs.filter((need) => request.needs.has(need)).join(','));
  return `#${parts}`;
}

// Anything that is missing or unknown is as usual.
export function requestOf(address) {
  const parts = new URLSearchParams(address.replace(/^#/, ''));
  const request = usual();
  if (Object.hasOwn(questions, parts.get('plan'))) request.question = parts.get('plan');
  for (const name of ['keys', 'fpr', 'bits-per-key', 'max-bytes', 'grow-to'])
    if (parts.has(name)) request[name] = parts.get(name);
  for (const need of (parts.get('needs') ?? '').split(',')) if (needs.includes(need)) request.needs.add(need);
  return request;
}

// ---- sliders: a position from 0 to 1000 stands for a text. The text is what counts; the slider follows it as well as it can read it.

const logarithmic = (least, most) => ({
  at: (part) => least * (most / least) ** part,
  part: (value) => Math.log(value / least) / Math.log(most / least),
});
const twoDigits = (value) => Number(value.toPrecision(2));

function withUnit(value, units) {
  const [factor, name] = units.find(([size]) => value >= size * 0.995) ?? units.at(-1);
  return `${twoDigits(value / factor)}${name}`;
}
function numberOf(text, units) {
  const match = /^([\d.]+(?:e[+-]?\d+)?)([a-zA-Z%]*)$/i.exec(tidy(text));
  if (!match) return NaN;
  const unit = units.find(([, name]) => name.toLowerCase() === match[2].toLowerCase());
  return unit ? Number(match[1]) * unit[0] : NaN;
}

const countUnits = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, '']];
const byteUnits = [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, '']];
const rateUnits = [[0.01, '%'], [1, '']];

const slider = (scale, textOf, units) => ({
  text: (position) => textOf(scale.at(position / 1000)),
  position: (text) => {
    const part = scale.part(numberOf(text, units));
    return Number.isFinite(part) ? Math.round(1000 * Math.min(1, Math.max(0, part))) : null;
  },
});
export const sliders = {
  keys: slider(logarithmic(1e3, 1e11), (value) => withUnit(value, countUnits), countUnits),
  fpr: slider(logarithmic(0.5, 1e-9), (value) => (value < 1e-5 ? value.toExponential(0) : `${twoDigits(value * 100)}%`), rateUnits),
  'bits-per-key': slider(logarithmic(2, 64), (value) => String(twoDigits(value)), [[1, '']]),
  'max-bytes': slider(logarithmic(2 ** 10, 2 ** 40), (value) => withUnit(value, byteUnits), byteUnits),
};
