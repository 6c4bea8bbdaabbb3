// SPDX-License-Identifier: GPL-2.0-or-later
// Compares the numbers of pages with folded stacks.
import {
  capture, compared, expect, functionsOf, hidden, open, report, same, shareOf, sorted, stacks, state, sumOf, table, test, text, total, typeSearch, work
} from './browser.mjs';

async function sums() {
  for (const name of ['clean', 'counts', 'timed', 'leak']) {
    await open(report(name, 'html'), async (page) => same(sorted(await table(page)), sorted(functionsOf(name)), name));
  }
}

async function searches() {
  await open(report('clean', 'html'), async (page) => {
    for (const query of ['walk|visit', '^main$', 'handle_request|memcpy', 'nothing of that name']) {
      await typeSearch(page, query);
      expect(Math.abs(await state(page, 'share') - shareOf('clean', new RegExp(query))) < 1e-9, 'share of ' + query);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
    }
    await typeSearch(page, 'nothing of that name');
    same(await text(page, 'found'), 'no function has this in its name', 'a search without a match');
    await page.keyboard.press('Escape');
    // A text that is no expression is searched as it is; small letters find large ones.
    await typeSearch(page, 'run()');
    await page.keyboard.press('Enter');
    await page.$eval('#query', (input) => { input.value = 'run('; input.dispatchEvent(new Event('input')); });
    await page.waitForFunction(() => stapReport.state.matched.length === 1);
    // Owners stay visible: what matches has a ring, the others are dim.
    await page.evaluate(() => stapReport.search('memcpy'));
    const colors = await page.evaluate(() => { stapReport.draw(); return [stapReport.state.matches.indexOf(1) >= 0, stapReport.state.fills[0][0].text]; });
    same(colors, [true, 'rgb(234,151,26)'], 'own color while something is searched');
  });
}

// Only literal capitals tell large from small letters. \x45 is E, which is in memcpy only where they are the same.
async function capitals() {
  const either = ['memcpy', 'm\\x45mcpy', 'm\\u0045mcpy', 'm\\u{45}mcpy', '\\S\\x45mcpy', '\\W*m\\x45mcpy', '\\Bem\\x43py', '\\p{L}\\x45mcpy', '\\P{Lt}\\x45mcpy',
    '\\p{Script=Latin}\\x45mcpy', '\\cA?m\\x45mcpy', '(?<Name>m)\\x45\\k<Name>cpy', '[\\S]\\x45mcpy', '[^\\W\\cA]\\x45mcpy'];
  const literal = ['mEmcpy', 'X?m\\x45mcpy', '[mX]\\x45mcpy', '[(?<X>]?m\\x45mcpy', '\\(?X?m\\x45mcpy', '(?<=X?)m\\x45mcpy', '(?<!X)m\\x45mcpy', '\\\\?S?m\\x45mcpy', '\\[?X?m\\x45mcpy', '\u00c9?m\\x45mcpy',
    'Run('];
  await open(report('clean', 'html'), async (page) => {
    for (const [queries, wanted] of [[either, true], [literal, false], [['run('], true]]) {
      for (const query of queries) {
        same(await page.evaluate((typed) => { stapReport.search(typed); return stapReport.state.matched.length > 0; }, query), wanted, query);
      }
    }
  });
}

async function shapes() {
  await open(report('clean', 'html'), async (page) => {
    const functions = functionsOf('clean');
    await page.keyboard.press('f');
    const children = () => page.evaluate(() => {
      const tree = stapReport.state.tree, out = {};
      for (let i = 1; i < tree.size; i++) if (tree.depth[i] === 1) out[stapReport.data.names[tree.frame[i]]] = tree.total[i];
      return out;
    });
    await page.keyboard.press('v');
    const leaves = Object.fromEntries(Object.entries(functions).filter(([, sum]) => sum.self).map(([name, sum]) => [name, sum.self]));
    same(sorted(await children()), sorted(leaves), 'leaves');
    await page.keyboard.press('v');
    const walks = () => page.evaluate(() => {
      const tree = stapReport.state.tree;
      return tree.frame.filter((frame, i) => i && stapReport.data.names[frame] === 'walk').length;
    });
    same(await walks(), 3, 'calls of walk');
    await page.keyboard.press('r');
    same(await walks(), 1, 'calls of walk, collapsed');
    same(await page.evaluate(() => stapReport.state.tree.total[0]), sumOf(stacks('clean')), 'sum, collapsed');
  });
}

// The root is at the top, children come by their width.
async function order() {
  await open(report('web', 'html'), async (page) => {
    const rows = () => page.evaluate(() => stapReport.state.tree.rows.map((row) => Array.from(row, (node) => ({
      parent: stapReport.state.tree.parent[node], width: stapReport.state.tree.width[node], x: stapReport.state.tree.x[node] }))));
    const all = await rows();
    expect(all.length > 8, all.length + ' rows');
    for (const row of all) {
      for (let i = 1; i < row.length; i++) {
        expect(row[i].x >= row[i - 1].x + row[i - 1].width, 'boxes overlap');
        if (row[i].parent === row[i - 1].parent) expect(row[i].width <= row[i - 1].width, 'a wider box is on the right');
      }
    }
    same(await page.$eval('#turn', (button) => button.getAttribute('aria-pressed')), 'false', 'flames');
  });
  compared('after', 'before');
  await open(`${work}/after.html`, async (page) => {
    const way = (before) => page.evaluate((old) => {
      const { state, data } = stapReport, tree = state.tree;
      return Array.from(tree.kids).filter((node) => tree.total[node] && tree.oldTotal[node]).map((node) => data.names[tree.frame[node]]);
    }, before);
    const now = await way(false);
    await page.keyboard.press('g');
    same(await way(true), now, 'the order of both sides');
  });
}

async function sandwich() {
  await open(report('clean', 'html'), async (page) => {
    await page.evaluate(() => Array.from(document.querySelectorAll('#body button')).find((one) => one.textContent === 'walk').click());
    const boxes = await page.evaluate(() => ['tree', 'callers'].map((which) => {
      const tree = stapReport.state[which];
      return Array.from(tree.frame).slice(1).map((frame, i) => stapReport.data.names[frame] + ' ' + tree.total[i + 1]);
    }));
    same(boxes[0], ['walk 1400', 'visit 300', 'walk 1100', 'walk 1100', 'visit 1100'], 'callees');
    same(boxes[1], ['walk 1400', 'worker 1400', 'start_thread 1400'], 'callers');
    await page.keyboard.press('Escape');
    same(await state(page, 'sandwich'), -1, 'after Escape');
  });
}

async function threads() {
  await open(report('clean', 'html'), async (page) => {
    const all = sumOf(stacks('clean'));
    const worker = sumOf(stacks('clean', ['--by=tid']).filter((row) => row.frames[0] === 'tid=101'));
    const choose = async (label) => {
      const value = await page.$$eval('#thread option', (options, wanted) => options.find((one) => one.textContent === wanted).value, label);
      await page.select('#thread', value);
      return total(page);
    };
    await page.keyboard.press('y');
    same(await choose('worker 100/101'), worker, 'worker');
    same(await choose('all 2'), all, 'all threads');
    // The rows are the threads by their values, the first in the first 12 pixels.
    const place = await page.$eval('#strip', (canvas) => ({ left: canvas.getBoundingClientRect().left, top: canvas.getBoundingClientRect().top, height: canvas.offsetHeight }));
    same(place.height, 24, 'two rows of 12 pixels');
    await page.mouse.click(place.left + 20, place.top + 18);
    const least = Math.min(worker, all - worker);
    same(await total(page), least, 'the second row');
    await page.mouse.click(place.left + 20, place.top + 18);
    same(await total(page), all, 'the row once more');
  });
  // At most eight rows and one of the others; no thread is lost.
  await open(report('large', 'html'), async (page) => {
    await page.keyboard.press('y');
    same(await page.$eval('#strip', (canvas) => canvas.offsetHeight), 8 * 12, 'rows');
  });
  await open(report('hostile', 'html'), async (page) => {
    const all = await total(page);
    await page.keyboard.press('y');
    same(await page.$eval('#strip', (canvas) => canvas.offsetHeight), 9 * 12, 'rows');
    const place = await page.$eval('#strip', (canvas) => canvas.getBoundingClientRect().toJSON());
    await page.mouse.click(place.left + 20, place.bottom - 6);
    // The eight largest have 17 + 16 + ... + 10.
    same(await total(page), all - 10 * (17 + 16 + 15 + 14 + 13 + 12 + 11 + 10), 'the others');
  });
}

async function overTime() {
  await open(report('timed', 'html'), async (page) => {
    same(await hidden(page, 'strips'), false, 'the strip');
    same(await hidden(page, 'times'), true, 'the heat map');
    await page.keyboard.press('h');
    same(await hidden(page, 'times'), false, 'the heat map after its key');
    await page.$eval('#from', (input) => { input.value = '2.01'; });
    await page.$eval('#to', (input) => { input.value = '3.01'; input.dispatchEvent(new Event('change')); });
    same((await table(page)).spin, { self: 100, total: 100 }, 'the busy second');
    await page.click('#all-times');
    same(await total(page), 400, 'all times');
    await page.focus('#heat');
    for (const key of ['ArrowRight', 'ArrowRight', ' ', 'ArrowRight', ' ']) await page.keyboard.press(key);
    expect(await total(page) < 110, 'range by keys');
    await page.click('#all-times');
    // Half of the strip: half of the samples, give or take what a pixel is.
    const place = await page.$eval('#strip', (canvas) => canvas.getBoundingClientRect().toJSON());
    same(place.height, 36, 'height');
    await page.mouse.move(place.left + 1, place.top + 10);
    await page.mouse.down();
    await page.mouse.move(place.left + place.width / 2, place.top + 12, { steps: 4 });
    await page.mouse.up();
    const half = await total(page);
    expect(half >= 197 && half <= 201, half + ' samples in the first half');
    await page.mouse.click(place.left + 30, place.top + 10, { clickCount: 2 });
    same(await total(page), 400, 'after a double click');
  });
}

// A sample each 10 ms from 0.01 s to 4.00 s: how many a range has is arithmetic. Neighbours share none, and the last has the session's end.
async function ends() {
  const file = report('timed', 'html');
  const cases = [['0-4', 400], ['0-5', 400], ['0-4.00', 400], ['0-3.99', 398], ['0-2', 199], ['2-4', 201], ['2-', 201], ['0.01-0.02', 1], ['4-4', 1], ['1.1-2.2', 110], ['2.01-3.01', 100]];
  for (const [range, wanted] of cases) {
    await open(file, async (page) => {
      const counts = Object.values(await table(page)).reduce((sum, row) => sum + row.self, 0);
      same([await total(page), counts], [wanted, wanted], range);
      same(await hidden(page, 'chips'), wanted === 400, 'the chip of ' + range);
    }, null, undefined, '#time=' + range);
  }
  await open(file, async (page) => {
    await page.keyboard.press('h');
    // The heat map has four columns: the last sample is in the last one.
    await page.focus('#heat');
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', ' ']) await page.keyboard.press(key);
    for (let i = 0; i < 50; i++) await page.keyboard.press('ArrowUp');
    await page.keyboard.press(' ');
    same(await text(page, 'chips'), '3.00 s to the end \u00d7', 'the last second');
    same(await total(page), 101, 'the last second and its end');
    await page.$eval('#from', (input) => { input.value = ''; });
    await page.$eval('#to', (input) => { input.value = '4'; input.dispatchEvent(new Event('change')); });
    same([await total(page), await hidden(page, 'chips')], [400, true], 'typed');
  });
  // All of the session: what has no time is part of it.
  for (const [range, wanted] of [['0-4', 425], ['0-3.99', 398], ['0.001-4', 400]]) {
    await open(report('partly_timed', 'html'), async (page) => same(await total(page), wanted, range + ', 25 without a time'), null, undefined, '#time=' + range);
  }
}

// The strip has all of the value, by the owner of what ran; of waits by who waits.
async function strip() {
  const sums = (page) => page.evaluate(() => stapReport.strips.rows.map((row) => {
    const owners = [0, 0, 0, 0, 0];
    row.parts.forEach((value, i) => { owners[i % 5] += value; });
    return owners;
  }));
  await open(report('web', 'html'), async (page) => {
    const owners = await page.evaluate(() => Object.fromEntries(stapReport.data.names.map((name, i) => [name, Number(stapReport.data.owner[i])])));
    const wanted = [0, 0, 0, 0, 0];
    for (const row of stacks('web')) wanted[owners[row.frames[row.frames.length - 1]]] += row.value;
    const [all, thread] = await sums(page);
    same(all, wanted, 'by owner');
    same(thread, wanted, 'the only thread');
  });
  await open(report('locks', 'html'), async (page) => {
    const rows = await sums(page), place = (i) => rows.reduce((sum, row, number) => sum + (number ? row[i] : 0), 0);
    same([0, 1, 2, 3, 4].map(place), rows[0], 'threads make the whole');
    same([rows[0][2], rows[0][4]], [0, 1290000], 'kernel and idle');
    same(rows[0].reduce((sum, value) => sum + value, 0), sumOf(stacks('locks')), 'all');
  });
}

// Samples without a time are in the whole picture, in no range, and the page says so.
async function partlyTimed() {
  await open(report('partly_timed', 'html'), async (page) => {
    same(await total(page), 425, 'all');
    expect((await text(page, 'quality')).includes('times: 25 samples have none'), 'the line');
    await page.keyboard.press('h');
    await page.$eval('#from', (input) => { input.value = '0'; });
    await page.$eval('#to', (input) => { input.value = '2.01'; input.dispatchEvent(new Event('change')); });
    same(await total(page), 200, 'the first two seconds');
    same((await table(page)).late, undefined, 'late');
    await page.click('#all-times');
    same(await total(page), 425, 'all again');
  });
}

async function idleWaits() {
  await open(report('clean', 'html'), async (page) => {
    same(await hidden(page, 'busy'), true, 'a button where nothing is idle');
  });
  await open(report('waits', 'html'), async (page) => {
    same(await total(page), 1000, 'all');
    same((await table(page))['[idle]'], { self: 0, total: 900 }, 'the group');
    await page.keyboard.press('w');
    same(await total(page), 100, 'without idle waits');
    await page.keyboard.press('w');
    same(await total(page), 1000, 'all again');
  });
}

async function differences() {
  await open(compared('after', 'before'), async (page) => {
    const widths = () => page.evaluate(() => {
      const tree = stapReport.state.tree, out = {};
      for (let i = 1; i < tree.size; i++) out[stapReport.data.names[tree.frame[i]]] = tree.width[i];
      return [out.new_way, out.old_way];
    });
    same(await widths(), [4000, 0], 'the shape of now');
    expect((await text(page, 'status')).includes('Gone: 40 %'), 'what is gone');
    expect((await page.$eval('.origin', (line) => line.textContent)).startsWith('12.6 ms now, 10.1 ms before'), 'totals in the head');
    // Half of a label's color is enough: new is orange, gone is blue and hatched.
    const card = await page.$$eval('.card', (cards) => cards[0].textContent);
    expect(card.includes('32 % +32 pp'), card);
    await page.keyboard.press('g');
    same(await widths(), [0, 4000], 'the shape of before');
  });
}

// How values are written: each text is arithmetic known beforehand.
async function amounts() {
  const texts = (name, values) => open(report(name, 'html'), async (page) => {
    for (const [value, wanted] of values) same(await page.evaluate((one) => stapReport.valueText(one), value), wanted, name);
  });
  await texts('clean', [[1, '1.00 \u00b5s'], [999, '999 \u00b5s'], [1000, '1.00 ms'], [316400, '316 ms'], [7650000, '7.65 s'], [1234000000, '1,234 s']]);
  await texts('counts', [[997, '1.00 s'], [315, '316 ms'], [1, '1.00 ms']]);
  await texts('leak', [[1, '1 byte'], [1023, '1,023 bytes'], [1536, '1.50 KiB'], [5 * 1024 * 1024, '5.00 MiB']]);
  await open(report('counts', 'html'), async (page) => {
    same(await page.evaluate(() => stapReport.longText(1, 1)), '1.00 ms, 1 sample', 'one');
    same(await page.evaluate(() => [0, 0.0004, 0.003, 0.0774, 0.4413, 0.9996, 1].map(stapReport.percentText)),
      ['0 %', '< 0.1 %', '0.3 %', '7.7 %', '44 %', '> 99.9 %', '100 %'], 'shares');
  });
}

// Lists leave out what says nothing, until somebody asks.
async function lists() {
  const names = (page) => page.$$eval('#body .name', (cells) => cells.map((cell) => cell.textContent));
  await open(report('waits', 'html'), async (page) => {
    same(await hidden(page, 'self-head'), true, 'a self column of waits');
    expect(!(await names(page)).includes('schedule'), 'the scheduler is in the list');
    await typeSearch(page, 'schedule');
    same(await names(page), ['schedule'], 'searched');
  });
  await open(report('web', 'html'), async (page) => {
    const listed = await names(page);
    expect(!listed.includes('main') && !listed.includes('worker_loop'), 'what only leads on is in the list');
    expect(listed.includes('compress'), 'compress is not in the list');
    await page.click('[data-owner=kernel]');
    expect((await names(page)).every((name) => functionsOf('web')[name] && !['compress', 'deflate', 'main'].includes(name)), 'only the kernel');
    same(await page.$eval('[data-owner=kernel]', (one) => one.textContent), 'kernel 19 %', 'share of the kernel');
    await page.select('#group', 'object');
    expect((await names(page)).includes('kernel'), 'by file of code');
  });
}

export async function run() {
  await test('sums are those of folded stacks', sums);
  await test('amounts and shares', amounts);
  await test('the share of a search is that of the stacks', searches);
  await test('capitals of a search', capitals);
  await test('inverted, and recursion collapsed', shapes);
  await test('widest first', order);
  await test('the list', lists);
  await test('callers and callees', sandwich);
  await test('threads', threads);
  await test('samples over time', overTime);
  await test('where ranges of time end', ends);
  await test('the strip is stacked by owner', strip);
  await test('samples of which some have no time', partlyTimed);
  await test('idle waits', idleWaits);
  await test('differences', differences);
}
