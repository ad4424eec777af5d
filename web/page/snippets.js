// What to type to get the planned filter: the tool's commands, and the same in C++, Python and Redis.
// C++ asks the planner the same question. Python and Redis name the kind that was chosen; it stands in the `build` of the plan's JSON.

function partsOf(build) {
  const words = build.split(' ');
  const after = (name) => (words.includes(name) ? words[words.indexOf(name) + 1] : null);
  return { kind: after('--kind'), keys: after('--keys'), fpr: after('--fpr'), bits: after('--bits-per-key'), growTo: after('--grow-to') };
}

const grouped = (number, mark) => String(number).replace(/\B(?=(\d{3})+$)/g, mark);
const asReal = (value) => (/[.e]/.test(String(value)) ? String(value) : `${value}.0`);

// The members of plan::requirement in their order. Without a number of keys, those of the answer are taken.
function requirementOf(asked, p) {
  const wanted = asked.keys ? asked : { ...asked, keys: p.keys, max_bytes: null };
  const members = [];
  const add = (name, value) => { if (value !== null && value !== false) members.push(`.${name} = ${value}`); };
  const whole = (value) => (value === null ? null : grouped(value, "'"));
  const real = (value) => (value === null ? null : asReal(value));
  add('keys', whole(wanted.keys));
  add('fpr', real(wanted.fpr ?? p.fpr));
  add('bits_per_key', real(wanted.bits_per_key));
  add('max_bytes', whole(wanted.max_bytes));
  add('average_reads', real(wanted.reads));
  add('worst_reads', real(wanted.worst_reads));
  add('grow_to', whole(wanted.grow_to));
  const needs = Object.entries(wanted.needs).filter(([, is]) => is).map(([name]) => `.${name} = true`);
  if (needs.length !== 0) add('needs', `{${needs.join(', ')}}`);
  add('is_static', wanted.is_static);
  add('is_fixed', wanted.is_fixed);
  return members.join(', ');
}

function pythonOf(p) {
  const size = p.fpr ? p.fpr : `bits_per_key=${p.bits}`;
  const growth = p.growTo ? `, grow_to=${grouped(p.growTo, '_')}` : '';
  return `seen = membrane.Filter(${grouped(p.keys, '_')}, ${size}, kind='${p.kind}'${growth})`;
}

// What the server sizes without keeping its clients waiting. The tool builds the others, and pushes them.
const sizedByServer = ['bloom', 'counting_bloom', 'blocked_bloom', 'rank', 'balanced_rank:form=fixed'];

function redisOf(p, { build, candidates: [{ filter }] }) {
  const rate = p.fpr ?? Number(filter.fpr.toPrecision(3));
  const growth = `GROWTO ${p.growTo ?? p.keys}`;
  if (filter.parameters.form === 'erasable')
    return `CF.RESERVE seen ${p.keys} ERROR ${rate} ${growth}\nCF.ADD seen alice\nCF.DEL seen alice`;
  const isGrowing = filter.parameters.form === 'growable';
  if (!isGrowing && !sizedByServer.includes(p.kind)) return `${build}\nmembrane push F.mbr --redis 127.0.0.1:6379 --name seen`;
  const kind = isGrowing ? growth : `NONSCALING KIND ${p.kind}`;
  return `BF.RESERVE seen ${rate} ${p.keys} ${kind}\nBF.ADD seen alice\nBF.EXISTS seen alice`;
}

// [name, text] of each; empty if nothing fits.
export function snippetsOf(plan, planWords) {
  const question = `membrane plan ${planWords.join(' ')}`;
  if (!plan.build) return [['Command', question]];
  const parts = partsOf(plan.build);
  return [
    ['Command', `${question}\n${plan.build}`],
    ['C++', `#include <membrane/membrane.hpp>\n\nmembrane::filter seen(membrane::plan::requirement{${requirementOf(plan.wanted, parts)}});\nseen.insert("alice");\nif (seen.may_contain("bob")) look_it_up();`],
    ['Python', `import membrane\n${pythonOf(parts)}\nseen.add('alice')\nif 'bob' in seen: look_it_up()`],
    ['Redis', redisOf(parts, plan)],
  ];
}
