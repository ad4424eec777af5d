// The page itself: pictures, numbers of the charts, accessibility, the first paint.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, test } from 'node:test';
import { closeBrowser, openPage } from './support.mjs';

after(closeBrowser);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

test('every picture can be stepped to its end, with words of one’s own', async () => {
  const tab = await openPage();
  const count = await tab.$$eval('#picture-tabs [role=tab]', (tabs) => tabs.length);
  assert.equal(count, 5);
  for (let i = 0; i < count; ++i) {
    await tab.click(`#picture-tabs [role=tab]:nth-child(${i + 1})`);
    await tab.waitForSelector('.stage > *');
    const stepThrough = async () => {
      const said = new Set();
      for (;;) {
        said.add(await tab.textContent('.said'));
        assert.ok(await tab.$eval('.stage', (stage) => stage.textContent.length > 0));
        if (await tab.isDisabled('.controls .primary')) break;
        await tab.click('.controls .primary');
      }
      return said;
    };
    await tab.click('.controls button:nth-child(4)');
    const said = await stepThrough();
    assert.ok(said.size > 5, `picture ${i + 1} says ${said.size} different things`);
    for (const each of said) assert.ok(!/undefined|NaN|null|\[object/.test(each), each);
    const steps = (await tab.textContent('.count')).split('/')[1];
    await tab.fill('.show form input', 'my own word');
    await tab.click('.show form button');
    await tab.waitForFunction((before) => document.querySelector('.count').textContent.split('/')[1] !== before || document.querySelector('.places .chip:last-child'), steps);
    await tab.waitForFunction(() => document.querySelector('.stage').textContent.includes('my own word'));
    await stepThrough();
  }
  assert.deepEqual(tab.problems, []);
});

test('a word that was inserted into a picture is found there, and the end of the keyboard’s arrows is the end of the picture', async () => {
  const tab = await openPage();
  for (const word of ['zebra', 'żółw', '-x', 'two words']) {
    await tab.fill('.show form input', word);
    await tab.click('.show form button:nth-of-type(1)');
    await tab.fill('.show form input', word);
    await tab.click('.show form button:nth-of-type(2)');
    await tab.waitForFunction((text) => document.querySelector('.stage .chip.question')?.textContent === text, word);
    await tab.focus('.show > input[type=range]');
    await tab.keyboard.press('End');
    assert.match(await tab.textContent('.said'), new RegExp(`“${word}” may be in the filter`));
  }
  assert.deepEqual(tab.problems, []);
});

test('charts give numbers to the pointer and the keyboard', async () => {
  const tab = await openPage();
  await tab.waitForSelector('body[data-charts]');
  const panels = await tab.$$('#charts .reader');
  assert.equal(panels.length, 4);
  for (const panel of panels) {
    await panel.focus();
    await tab.keyboard.press('ArrowRight');
    assert.match(await panel.getAttribute('aria-valuetext'), /balanced_rank|bloom/);
    await panel.hover();
    assert.ok((await tab.textContent('#chart-tip')).includes('bloom'));
  }
  assert.deepEqual(tab.problems, []);
});

for (const scheme of ['light', 'dark'])
  for (const width of [390, 1440])
    test(`axe finds nothing serious: ${scheme}, ${width} pixels; nothing is wider than the window`, async () => {
      const tab = await openPage('', { width, scheme });
      await tab.waitForSelector('body[data-charts]');
      await tab.click('#try-sample');
      await tab.waitForSelector('#try-download');
      for (let i = 1; i <= 5; ++i) {
        await tab.click(`#picture-tabs [role=tab]:nth-child(${i})`);
        await tab.waitForSelector('.stage > *');
        const extent = await tab.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(extent <= width, `picture ${i}: the page is ${extent} pixels wide`);
      }
      await tab.evaluate(axe);
      const { violations } = await tab.evaluate(() => window.axe.run());
      const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
      assert.deepEqual(serious.map(({ id, nodes }) => [id, nodes[0].html.slice(0, 200), nodes[0].failureSummary]), []);
      assert.deepEqual(tab.problems, []);
    });

test('the first plan is painted within a second, and nothing jumps afterwards', async (context) => {
  const tab = await openPage();
  await tab.waitForSelector('body[data-charts]');
  const seen = await tab.evaluate(() => ({
    paint: performance.getEntriesByName('first-contentful-paint')[0].startTime,
    plan: performance.getEntriesByName('plan-shown')[0].startTime,
  }));
  const moved = await tab.evaluate(() => new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) sum += entry.value; }).observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => resolve(sum), 300);
  }));
  context.diagnostic(`first paint after ${seen.paint.toFixed(0)} ms, plan shown after ${seen.plan.toFixed(0)} ms, layout shift ${moved.toFixed(3)}`);
  assert.ok(seen.paint < 1000 && seen.plan < 1000);
  assert.ok(moved < 0.05, `layout shift ${moved}`);
});
