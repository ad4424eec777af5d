// Joins the four parts. The plan of an address without a question was computed when the page was made, so that it stands here at once.
import { Tool } from './tool.js';
import { find, soon } from './html.js';
import { showOverview, showProblem, startPlan } from './plan.js';
import { showCharts } from './charts.js';
import { startTry } from './try.js';
import { startUnderstand } from './understand.js';
import { missingOf, usual, wordsOf } from './request.js';

const tool = new Tool();
const same = (a, b) => a.join('\0') === b.join('\0');
let asked = [];

async function answer(request) {
  const missing = missingOf(request);
  if (missing) {
    asked = [];
    return showProblem(`${find(`.field[data-name=${missing}] label`).textContent}: give a number, such as ${usual()[missing]}`);
  }
  const words = wordsOf(request);
  if (same(words, asked)) return;
  asked = words;
  try {
    const overview = await tool.ask('overview', ...words);
    showOverview(overview, words);
    chart();
  } catch (problem) {
    showProblem(problem.message);
  }
}

// One plan at a time; of the questions that come meanwhile, the last one.
let next = null;
let isAnswering = false;
async function ask(request) {
  next = request;
  if (isAnswering) return;
  isAnswering = true;
  for (let now = next; now; now = next) {
    next = null;
    await answer(now);
  }
  isAnswering = false;
}

// Charts take seconds, so they have a worker of their own. It is stopped when another plan is asked for meanwhile.
const chartWidth = () => Math.round(Math.min(1080, Math.max(300, find('#charts').clientWidth)));
let chartEngine = null;
let charted = '';
const chart = soon(async () => {
  const [words, width] = [asked, chartWidth()];
  const name = `${words.join('\0')}\0${width}`;
  if (name === charted) return;
  charted = name;
  chartEngine?.close();
  const own = new Tool();
  chartEngine = own;
  find('#charts').classList.add('stale');
  try {
    showCharts(await own.ask('overview', '--charts', '--width', width, ...words));
    document.body.dataset.charts = width;
  } catch {
    // Stopped for another plan; or the plan has said what is wrong.
  } finally {
    own.close();
    if (charted === name) find('#charts').classList.remove('stale');
  }
}, 120);

const first = JSON.parse(find('#first-overview').textContent);
const request = startPlan(soon(ask, 80));
if (same(wordsOf(request), wordsOf(usual()))) {
  asked = wordsOf(request);
  showOverview(first.overview, asked);
  // The nearest of the two widths that the page was made with; drawn anew below if it is not near.
  const nearest = first.charts.reduce((a, b) => (Math.abs(a.width - chartWidth()) < Math.abs(b.width - chartWidth()) ? a : b));
  showCharts(nearest.drawn);
  if (Math.abs(nearest.width - chartWidth()) < 0.12 * nearest.width) {
    charted = `${asked.join('\0')}\0${chartWidth()}`;
    document.body.dataset.charts = nearest.width;
  }
  chart();
} else {
  ask(request);
}
performance.mark('plan-shown');
new ResizeObserver(() => chart()).observe(find('#charts'));
// The tool in the console of the browser: await membrane('plan', '--keys', '1M')
window.membrane = (...words) => tool.run(...words);
startTry();
startUnderstand(tool)
  .then(() => { document.body.dataset.ready = 'yes'; })
  .catch((problem) => { find('#picture').textContent = problem.message; });
