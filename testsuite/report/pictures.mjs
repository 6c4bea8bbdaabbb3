// SPDX-License-Identifier: GPL-2.0-or-later
// pictures.mjs MODULES PROGRAMS WORK DIRECTORY: what the documentation shows of pages, made from captures that are always
// the same.
import { browser, compared, dark, launch, open, report } from './pages/browser.mjs';

const directory = process.argv[5];
const change = compared('web', 'web-before');
const WIDE = { width: 1400, height: 640 };
const still = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

async function picture(name, file, size = WIDE, prepare = null, act = null, hash = '') {
  await open(file, async (page) => {
    if (act) await act(page);
    await still(page);
    await page.screenshot({ path: `${directory}/${name}.png` });
  }, prepare, size, hash);
}

await launch();
await picture('flame-diff', change);
const web = report('web', 'html');
await picture('flame-page', web);
await picture('flame-page-dark', web, WIDE, dark);
await picture('flame-times', web, WIDE, null, async (page) => {
  await page.keyboard.press('h');
  await page.$eval('#from', (input) => { input.value = '2'; });
  await page.$eval('#to', (input) => { input.value = '3.3'; input.dispatchEvent(new Event('change')); });
});
await picture('flame-waits', report('locks', 'html'));
await browser.close();
