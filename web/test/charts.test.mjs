// The charts: what is drawn and what stands in the tables are the tool's numbers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { closeBrowser, folder, membrane, must, openPage } from './support.mjs';

after(closeBrowser);
const questions = [['--keys', '10M', '--fpr', '0.1%'], ['--keys', '100k', '--fpr', '1%', '--delete'], ['--keys', '1M', '--grow-to', '100M'], ['--keys', '1M', '--bits-per-key', '9', '--merge']];

// The corners of every curve of a picture, curve by curve; a point drawn alone has none.
const curvesOf = (svg) => [...svg.matchAll(/<path class="curve[^"]*"[^>]* d="([^"]*)"/g)]
  .map(([, path]) => [...path.matchAll(/([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]));

function place(value, range) {
  const [low, high, at] = [range.low, range.high, value].map((each) => (range.is_log ? Math.log(each) : each));
  return (at - low) / (high - low);
}
const isInside = (part) => part > 1e-6 && part < 1 - 1e-6;

test('the page draws the picture of `membrane plan --plot`', async () => {
  const tab = await openPage();
  for (const words of questions) {
    must('plan', ...words, '--plot', 'plan.svg', '--force');
    const native = readFileSync(join(folder, 'plan.svg'), 'utf8');
    const [, width] = /<svg [^>]*width="([\d.]+)"/.exec(native);
    const { out } = await tab.evaluate((all) => window.membrane('overview', '--charts', ...all), ['--width', width, ...words]);
    const drawn = JSON.parse(out);
    const [expected, found] = [native, drawn.svg].map(curvesOf);
    assert.ok(expected.length > 20, `${expected.length} curves`);
    assert.deepEqual(found.map((curve) => curve.length), expected.map((curve) => curve.length), words.join(' '));
    // The tool's picture has a title above it.
    const below = expected[0][0][1] - found[0][0][1];
    expected.forEach((curve, i) => curve.forEach(([x, y], j) => {
      const [pageX, pageY] = found[i][j];
      assert.ok(Math.abs(pageX - x) < 0.05 && Math.abs(pageY + below - y) < 0.05, `${words.join(' ')}: curve ${i}, corner ${j}: ${[pageX, pageY]} beside ${[x, y]}`);
    }));
  }
});

test('the numbers under the pointer and in the tables are those that are drawn', async () => {
  const tab = await openPage();
  await tab.waitForSelector('body[data-charts]');
  const { svg, panels } = JSON.parse((await tab.evaluate((all) => window.membrane('overview', '--charts', '--width', '1000', ...all), questions[0])).out);
  const corners = curvesOf(svg).flat();
  let compared = 0;
  for (const panel of panels)
    for (const curve of panel.curves)
      for (const [x, y] of curve.points) {
        const [right, up] = [place(x, panel.x), place(y, panel.y)];
        if (!isInside(right) || !isInside(up)) continue;
        const [left, top] = [panel.left + right * panel.width, panel.top + (1 - up) * panel.height];
        assert.ok(corners.some(([cx, cy]) => Math.abs(cx - left) < 0.02 && Math.abs(cy - top) < 0.02), `${panel.title}, ${curve.name}: ${[x, y]} is not drawn`);
        ++compared;
      }
  assert.ok(compared > 400, `${compared} points`);
  // The tables show every point, in the same order.
  const rows = await tab.$$eval('#chart-numbers tbody', (tables) => tables.map((table) => [...table.rows].map((row) => row.cells[0].textContent)));
  assert.deepEqual(rows, panels.map((panel) => panel.curves.flatMap((curve) => curve.points.map(() => curve.name))));
});

test('the points of a curve are plans of that kind', async () => {
  const tab = await openPage();
  for (const words of questions.slice(0, 2)) {
    const keys = words[1];
    const { panels } = JSON.parse((await tab.evaluate((all) => window.membrane('overview', '--charts', '--width', '1000', ...all), words)).out);
    const [space, reads] = panels;
    assert.equal(space.x_title, 'bits per key');
    let compared = 0;
    for (const power of [2, 7, 10, 15]) {
      for (const { name, points } of space.curves) {
        if (name === 'least of any filter') continue;
        const asked = membrane('plan', '--json', '--keys', keys, '--fpr', String(2 ** -power), '--kind', name, ...words.slice(4));
        if (asked.code !== 0) continue;
        const { filter } = JSON.parse(asked.out).candidates[0];
        const near = ([, rate]) => Math.abs(rate / filter.fpr - 1) < 1e-6;
        const bits = 8 * filter.file_bytes / filter.keys;
        assert.ok(points.some((point) => near(point) && Math.abs(point[0] / bits - 1) < 1e-6), `${name} at 2^-${power}: no point at ${bits} bits and ${filter.fpr}`);
        const lines = reads.curves.find((curve) => curve.name === name).points;
        assert.ok(lines.some((point) => near(point) && Math.abs(point[0] / filter.reads.negative - 1) < 1e-6), `${name} at 2^-${power}: no point at ${filter.reads.negative} lines`);
        ++compared;
      }
    }
    assert.ok(compared >= 10, `${compared} plans`);
  }
});
