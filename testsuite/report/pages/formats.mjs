// SPDX-License-Identifier: GPL-2.0-or-later
// Pictures in SVG, and another program that reads a format.
import { readFileSync, writeFileSync } from 'node:fs';
import { browser, expect, functionsOf, load, open, report, shareOf, stacks, sumOf, test, text, work } from './browser.mjs';

async function svg() {
  await open(report('clean', 'svg'), async (page) => {
    await page.evaluate(() => stapReport.search('walk|memcpy'));
    const found = Number(/[0-9.]+/.exec(await text(page, 'found'))[0]);
    expect(Math.abs(found - 100 * shareOf('clean', /walk|memcpy/)) < 0.1, 'share ' + found);
    await page.evaluate(() => stapReport.boxes.find((box) => box.name.startsWith('worker')).rect.dispatchEvent(new MouseEvent('click', { bubbles: true })));
    const width = await page.evaluate(() => Number(stapReport.boxes.find((box) => box.name.startsWith('worker')).rect.getAttribute('width')));
    expect(Math.abs(width - 1180) < 1, 'zoomed to ' + width);
  });
}

// speedscope itself reads the file and shows the same self times.
async function speedscope() {
  const file = report('clean', 'speedscope.json'), root = load.resolve('speedscope/package.json').replace(/package\.json$/, '');
  const script = `${work}/profile.js`;
  writeFileSync(script, `speedscope.loadFileFromBase64("clean.speedscope.json", ${JSON.stringify(readFileSync(file).toString('base64'))})`);
  const page = await browser.newPage();
  await page.setViewport({ width: 1400, height: 900 });
  await page.goto(`file://${root}dist/release/index.html#localProfilePath=${script}`, { timeout: 60000 });
  await page.waitForFunction(() => document.body.textContent.includes('Sandwich'), { timeout: 60000 });
  await page.keyboard.press('3');
  await page.waitForFunction(() => document.querySelectorAll('tr').length > 5, { timeout: 60000 });
  const rows = await page.$$eval('tr', (all) => all.map((row) => Array.from(row.querySelectorAll('td'), (cell) => cell.textContent)));
  await page.close();
  const functions = functionsOf('clean'), all = sumOf(stacks('clean'));
  for (const name of ['memcpy', 'parse_header', 'main', 'walk']) {
    const row = rows.find((cells) => cells.length === 3 && cells[2] === name);
    expect(row, name + ' is not in its table');
    for (const [i, field] of [[0, 'total'], [1, 'self']]) {
      const percent = Number((/\(<?([0-9.]+)%\)/.exec(row[i]) || [0, NaN])[1]);
      expect(Math.abs(percent - 100 * functions[name][field] / all) < 0.6, `${field} of ${name}: ${row[i]}`);
    }
  }
}

export async function run() {
  await test('a picture in SVG', svg);
  await test('speedscope reads its format', speedscope);
}
