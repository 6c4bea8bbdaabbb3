// SPDX-License-Identifier: GPL-2.0-or-later
// Filters of a view, the address that holds it, and pages without a picture.
import { readFileSync } from 'node:fs';
import { accessible, boxOf, compared, dark, expect, hidden, open, pressed, report, same, stacks, state, sumOf, test, text, total, typeSearch } from './browser.mjs';

// A stack that is removed is out of all sums until it is taken back.
async function removal() {
  const rows = stacks('clean'), all = sumOf(rows), without = (frame) => sumOf(rows.filter((row) => !row.frames.includes(frame)));
  for (const mode of ['', 'f', 'r', 'i', 'v']) {
    await open(report('clean', 'html'), async (page) => {
      if (mode) await page.keyboard.press(mode);
      const name = mode === 'v' ? 'visit' : 'worker';
      const at = await boxOf(page, name);
      if (mode === 'i') {
        await page.evaluate(() => stapReport.select(stapReport.state.tree, stapReport.state.tree.frame.indexOf(stapReport.data.names.indexOf('worker'), 1)));
        await page.keyboard.press('x');
      } else {
        await page.keyboard.down('Shift');
        await page.mouse.click(at.x, at.y);
        await page.keyboard.up('Shift');
      }
      same(await total(page), without(name), `without ${name} (${mode})`);
      same(await page.$$eval('#chips button', (chips) => chips.map((chip) => chip.textContent)), [`without ${name} \u00d7`], 'chip');
      if (mode === 'f') await page.click('#chips button');
      else await page.keyboard.press('u');
      same(await total(page), all, 'taken back');
      same(await hidden(page, 'chips'), true, 'chips');
    });
  }
}

// A link shows what was seen.
async function address() {
  const file = report('timed', 'html');
  const look = (page) => page.evaluate(() => {
    const { state, boxName, whole } = stapReport;
    return [boxName(state.tree, state.zoom), state.tree.size, whole.total[0], state.folded, state.inverted, state.pattern && state.pattern.source,
      state.owner, state.from, state.to, state.removed.length, document.getElementById('functions').getAttribute('aria-pressed')];
  });
  let hash = '', seen = null;
  await open(file, async (page) => {
    same(await page.evaluate(() => location.hash), '', 'the address of the first view');
    for (const key of ['f', 't']) await page.keyboard.press(key);
    await typeSearch(page, 'loo');
    await page.keyboard.press('Enter');
    await page.focus('#graph');
    await page.evaluate(() => {
      const { state, data, removeBox, zoomTo } = stapReport, box = (name) => state.tree.frame.indexOf(data.names.indexOf(name), 1);
      removeBox(state.tree, box('poll'));
      zoomTo(box('loop'));
    });
    seen = await look(page);
    hash = await page.evaluate(() => location.hash);
  });
  for (const part of ['zoom=', 'q=loo', 'v=', 'without=']) expect(hash.includes(part), `${part} is not in ${hash}`);
  await open(file, async (page) => {
    same(await look(page), seen, 'the view of ' + hash);
    same(await page.evaluate(() => location.hash), hash, 'the address of a view that was opened');
    // Another address in the same window.
    await page.evaluate(() => { location.hash = '#v=v&time=2.01-3.01'; });
    await page.waitForFunction(() => stapReport.state.inverted);
    same(await total(page), 100, 'the busy second');
  }, null, undefined, hash);
  // Addresses can be anything.
  for (const wild of ['#zoom=99999999&v=constructor', '#zoom=-1&thread=77&time=x-y', '#without=1:5-99999999;x;2:', '#both=9e9&callers=__proto__&owner=%00', '#%']) {
    await open(file, async (page) => same(await total(page), 400, wild), null, undefined, wild);
  }
  await open(compared('after', 'before'), async (page) => {
    same([await state(page, 'before'), await pressed(page, 'vanished')], [true, 'true'], 'the shape of before');
  }, null, undefined, '#v=g');
}

async function emptied() {
  await open(report('timed', 'html'), async (page) => {
    await page.keyboard.press('h');
    await page.$eval('#from', (input) => { input.value = '90'; input.dispatchEvent(new Event('change')); });
    same(await hidden(page, 'empty'), false, 'the sentence');
    expect((await text(page, 'empty')).startsWith('No samples are left: 90.00 s to the end.'), await text(page, 'empty'));
    await page.click('#empty button');
    same([await hidden(page, 'empty'), await total(page)], [true, 400], 'after the button');
  });
}

// A run without samples has a page, too: the head, and why.
async function empty() {
  await open(report('nothing', 'html'), async (page) => {
    const shown = await page.evaluate(() => document.body.innerText);
    expect(shown.includes('No samples: no program used any processor time in 5.00 s.') && shown.includes('on-CPU'), shown);
    expect(!shown.includes('Fold plumbing'), 'buttons of a picture that is not there');
    await page.click('#dark');
    same(await page.evaluate(() => document.documentElement.classList.contains('dark')), true, 'dark');
    await page.keyboard.press('f');
    await accessible(page);
  });
}

// The head of pages: of what, how far it can be trusted.
async function head() {
  await open(report('web', 'html'), async (page) => {
    same(await page.title(), 'server: CPU time', 'title');
    same(await page.$eval('h1', (one) => one.textContent), 'server CPU time', 'heading');
    const origin = await page.$eval('.origin', (one) => one.textContent);
    for (const part of ['962 samples, 965 ms', 'stap --times -o server.html -x 812 -T 5 oncpu.stp', 'web1', 'Linux 6.1.0-56', '2 CPUs', '14 Nov 2023']) {
      expect(origin.includes(part), `${part} is not in ${origin}`);
    }
    same(await page.$eval('#trust', (one) => one.className), 'good', 'badge');
    same(await page.$eval('#trust summary', (one) => one.textContent), 'All stacks complete', 'its text');
  });
  for (const [name, state, words] of [['cut', 'bad', ' of stacks cut'], ['dropped', 'bad', ' of samples lost'], ['killed', 'bad', 'Capture not sealed'], ['stripped', 'good', 'All stacks complete']]) {
    await open(report(name, 'html'), async (page) => {
      same(await page.$eval('#trust', (one) => one.className), state, name);
      expect((await page.$eval('#trust summary', (one) => one.textContent)).includes(words), name);
      // A click opens the causes; the picture does not move.
      const top = () => page.$eval('#graph', (canvas) => canvas.getBoundingClientRect().top);
      const before = await top();
      same(await page.$eval('#trust', (one) => one.open), false, 'panel');
      await page.click('#trust summary');
      same(await page.$eval('#trust', (one) => one.open), true, 'panel after a click');
      same(await top(), before, 'the picture below the panel');
      if (name !== 'stripped') expect(await page.$$eval('#quality .missing', (lines) => lines.length) > 0, 'causes of ' + name);
      await page.keyboard.press('Escape');
      same(await page.$eval('#trust', (one) => one.open), false, 'panel after Escape');
    });
  }
  await open(report('ragged', 'html'), async (page) => same(await page.$$eval('#quality .missing', (lines) => lines.length), 12, 'all causes'));
}

// Samples that no picture can show: their number and their sum are seen at every width.
async function below() {
  const file = report('below', 'html');
  for (const width of [400, 800, 1600]) {
    for (const prepare of [null, dark]) {
      await open(file, async (page) => {
        same(await page.$eval('#trust summary', (one) => one.textContent), 'All stacks complete, 1,234,567 samples not shown (-9.20 GiB)', 'badge');
        const look = await page.evaluate(() => {
          const badge = document.querySelector('#trust summary'), head = document.querySelector('header').getBoundingClientRect(), box = badge.getBoundingClientRect();
          return [badge.scrollWidth <= badge.clientWidth, badge.scrollHeight <= badge.clientHeight, box.bottom <= head.bottom, document.documentElement.scrollWidth <= innerWidth];
        });
        same(look, [true, true, true, true], `the whole badge within the head, at ${width} pixels`);
        await page.click('#trust summary');
        const panel = await page.$eval('#quality', (one) => one.getBoundingClientRect().toJSON());
        const badge = await page.$eval('#trust summary', (one) => one.getBoundingClientRect().toJSON());
        expect(panel.left >= 0 && panel.right <= width && panel.top >= badge.bottom, `the panel at ${width} pixels: ${JSON.stringify(panel)}`);
        expect((await text(page, 'quality')).includes('not shown: 1,234,567 samples of stacks whose sum is not above zero (-9.20 GiB)'), 'the line');
      }, prepare, { width, height: 700 });
    }
  }
}

// Code, without what the capture has.
async function size() {
  const page = readFileSync(report('clean', 'html'), 'utf8');
  const code = page.replace(/<script id="(data|numbers)"[^]*?<\/script>/g, '').length;
  expect(code <= 120 * 1024, code + ' bytes of code');
  console.log(`# ${code} bytes of code`);
}

export async function run() {
  await test('removed stacks', removal);
  await test('the address holds the view', address);
  await test('everything filtered', emptied);
  await test('no samples', empty);
  await test('the head and the badge', head);
  await test('samples that are not shown', below);
  await test('the size of the code', size);
}
