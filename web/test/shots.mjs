// node shots.mjs FOLDER: pictures of each part of the page, light and dark, 390 and 1440 pixels wide, to look at.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { closeBrowser, openPage } from './support.mjs';

const to = resolve(process.argv[2] ?? 'shots');
mkdirSync(to, { recursive: true });
for (const scheme of ['light', 'dark'])
  for (const width of [390, 1440]) {
    const tab = await openPage('', { width, scheme });
    await tab.waitForSelector('body[data-charts]');
    await tab.click('#try-sample');
    await tab.waitForSelector('#try-download');
    // The line at the top would lie over the parts that are taller than the window.
    await tab.addStyleTag({ content: 'header { position: static !important; }' });
    const shot = async (part, name) => (await tab.$(part)).screenshot({ path: join(to, `${name}-${width}-${scheme}.png`) });
    await tab.evaluate(() => scrollTo(0, 0));
    await tab.screenshot({ path: join(to, `top-${width}-${scheme}.png`) });
    for (const part of ['plan', 'see', 'try']) await shot(`#${part}`, part);
    for (let i = 1; i <= 5; ++i) {
      await tab.click(`#picture-tabs [role=tab]:nth-child(${i})`);
      await tab.waitForSelector('.stage > *');
      const most = Number(await tab.getAttribute('.show > input[type=range]', 'max'));
      await tab.fill('.show > input[type=range]', String(Math.round(most * 0.7)));
      await shot('#understand', `understand${i}`);
    }
    await tab.context().close();
  }
await closeBrowser();
