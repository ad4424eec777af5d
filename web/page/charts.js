// Part two: the charts of the plan, drawn by the library's own chart room. Here only the numbers under the pointer are added.
import { draw, find, findAll, make, show } from './html.js';

const toPart = (value, range) => (range.is_log
  ? Math.log(value / range.low) / Math.log(range.high / range.low)
  : (value - range.low) / (range.high - range.low));
const fromPart = (part, range) => (range.is_log
  ? range.low * (range.high / range.low) ** part
  : range.low + part * (range.high - range.low));

const isRate = (title) => title.includes('rate');
export function valueText(value, title) {
  if (isRate(title)) return value < 1e-7 ? value.toExponential(1) : `${Number((100 * value).toPrecision(3))} %`;
  if (title.startsWith('keys')) return Math.round(value).toLocaleString('en');
  return value.toFixed(2);
}

// The value of a curve at x: between two points as the chart's line runs; nothing outside of the curve.
function valueAt(points, x, panel) {
  for (let i = 1; i < points.length; ++i) {
    const [[x0, y0], [x1, y1]] = [points[i - 1], points[i]];
    if (x < Math.min(x0, x1) || x > Math.max(x0, x1)) continue;
    const [a, b, at] = [x0, x1, x].map((each) => toPart(each, panel.x));
    const part = a === b ? 0 : (at - a) / (b - a);
    const [low, high] = [y0, y1].map((each) => toPart(each, panel.y));
    return fromPart(low + part * (high - low), panel.y);
  }
  return null;
}

class PanelReader {
  constructor(host, panel, number, tip) {
    Object.assign(this, { host, panel, tip, part: 0.5 });
    this.line = draw('line', { class: 'cross', y1: panel.top, y2: panel.top + panel.height, hidden: true });
    this.dots = draw('g', {});
    this.area = draw('rect', {
      x: panel.left, y: panel.top, width: panel.width, height: panel.height, fill: 'transparent', tabindex: 0, role: 'slider',
      'aria-label': `${panel.y_title} over ${panel.x_title}`, 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-valuenow': 50, class: 'reader', 'data-panel': number,
    });
    this.area.addEventListener('pointermove', (event) => this.point(event));
    this.area.addEventListener('pointerdown', (event) => this.point(event));
    this.area.addEventListener('pointerleave', () => this.leave());
    this.area.addEventListener('focus', () => { if (this.area.matches(':focus-visible')) this.showAt(this.part); });
    this.area.addEventListener('blur', () => this.leave());
    this.area.addEventListener('keydown', (event) => this.key(event));
  }

  point(event) {
    const box = this.area.getBoundingClientRect();
    this.showAt((event.clientX - box.left) / box.width);
  }

  key(event) {
    const steps = { ArrowLeft: -0.02, ArrowRight: 0.02, Home: -1, End: 1 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    this.showAt(this.part + steps[event.key]);
  }

  leave() {
    this.line.setAttribute('hidden', '');
    this.dots.replaceChildren();
    this.tip.hidden = true;
  }

  showAt(part) {
    const { panel } = this;
    this.part = Math.min(1, Math.max(0, part));
    const x = fromPart(this.part, panel.x);
    const at = panel.left + this.part * panel.width;
    this.line.removeAttribute('hidden');
    this.line.setAttribute('x1', at);
    this.line.setAttribute('x2', at);
    const found = panel.curves
      .map((curve) => ({ name: curve.name, value: valueAt(curve.points, x, panel) }))
      .filter(({ value }) => value !== null)
      .sort((a, b) => a.value - b.value);
    this.dots.replaceChildren(...found
      .filter(({ value }) => value >= panel.y.low && value <= panel.y.high)
      .map(({ value }) => draw('circle', { cx: at, cy: panel.top + (1 - toPart(value, panel.y)) * panel.height, r: 3.5, class: 'dot' })));
    const rows = found.map(({ name, value }) => make('tr', {}, make('th', { scope: 'row' }, name), make('td', {}, valueText(value, panel.y_title))));
    show(this.tip, make('table', {}, make('caption', {}, `${panel.x_title} ${valueText(x, panel.x_title)}`), make('tbody', {}, ...rows)));
    this.area.setAttribute('aria-valuenow', Math.round(100 * this.part));
    this.area.setAttribute('aria-valuetext',
      `${panel.x_title} ${valueText(x, panel.x_title)}: ${found.map(({ name, value }) => `${name} ${valueText(value, panel.y_title)}`).join(', ')}`);
    this.tip.hidden = false;
    const host = this.host.getBoundingClientRect();
    const scale = this.area.getBoundingClientRect().width / panel.width;
    const width = this.tip.offsetWidth;
    const right = at * scale + 14;
    this.tip.style.left = `${Math.max(4, right + width > host.width ? at * scale - width - 14 : right)}px`;
    this.tip.style.top = `${(panel.top + 8) * scale}px`;
  }
}

const numbersOf = (panel) => make('details', {}, make('summary', {}, `Numbers: ${panel.y_title} over ${panel.x_title}`),
  make('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `${panel.y_title} over ${panel.x_title}` },
    make('table', { class: 'numbers' }, make('thead', {}, make('tr', {}, ['curve', panel.x_title, panel.y_title].map((each) => make('th', { scope: 'col' }, each)))),
      make('tbody', {}, panel.curves.flatMap((curve) => curve.points.map(([x, y]) => make('tr', {},
        make('th', { scope: 'row' }, curve.name), make('td', { class: 'number' }, valueText(x, panel.x_title)), make('td', { class: 'number' }, valueText(y, panel.y_title)))))))));

const readerStyle = `:host{display:block;position:relative}svg{display:block;width:100%;height:auto}
.paper{fill:transparent!important}.cross{stroke:currentColor;stroke-width:1;stroke-dasharray:2 3;opacity:.6}.cross[hidden]{display:none}
.dot{fill:none;stroke:currentColor;stroke-width:1.5}.reader{cursor:crosshair;touch-action:pan-y}
.reader:focus-visible{outline:2px solid currentColor;outline-offset:2px}`;

// The picture lies in a shadow tree, so that its style rules stay in it.
export function showCharts({ svg, panels }) {
  const host = find('#charts');
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const tip = find('#chart-tip');
  tip.hidden = true;
  root.innerHTML = `<style>${readerStyle}</style>${svg}`;
  const picture = find('svg', root);
  // The readers of the panels have names of their own.
  picture.setAttribute('role', 'group');
  picture.setAttribute('aria-label', 'Charts of the plan');
  find('title', picture)?.remove();
  for (const part of findAll('path, text', picture)) part.setAttribute('pointer-events', 'none');
  panels.forEach((panel, i) => {
    const reader = new PanelReader(host, panel, i, tip);
    picture.append(reader.line, reader.dots, reader.area);
  });
  show(find('#chart-numbers'), panels.map(numbersOf));
}
