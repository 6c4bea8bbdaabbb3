// SPDX-License-Identifier: GPL-2.0-or-later
// pages.mjs MODULES PROGRAMS WORK: pictures in a browser. MODULES is where puppeteer-core, axe-core and speedscope are,
// PROGRAMS has stap-report and make_capture, WORK is an empty directory. Prints a line for each test, then their sum.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';

const [modules, programs, work] = process.argv.slice(2);
const load = createRequire(modules + '/');
const puppeteer = load('puppeteer-core');
const axe = readFileSync(load.resolve('axe-core/axe.min.js'), 'utf8');

const results = { passed: 0, failed: 0 };
let browser = null;

function expect(is, what) {
  if (!is) throw new Error(what);
}
function same(is, wanted, what) {
  const a = JSON.stringify(is), b = JSON.stringify(wanted);
  expect(a === b, `${what}: ${a}, not ${b}`);
}

async function test(name, act) {
  try {
    await act();
    results.passed++;
    console.log('ok - ' + name);
  } catch (error) {
    results.failed++;
    console.log('not ok - ' + name);
    console.log('# ' + String(error.stack || error).split('\n').join('\n# '));
  }
}

// --- pictures, and what folded stacks say of the same capture

function capture(name) {
  execFileSync(programs + '/make_capture', [name, `${work}/${name}.tapir`]);
  return `${work}/${name}.tapir`;
}
function report(name, format, options = []) {
  const file = `${work}/${name}.${format}`;
  execFileSync(programs + '/stap-report', [capture(name), '-o', file, '--accept-partial', ...options]);
  return file;
}
function stacks(name, options = []) {
  const text = readFileSync(report(name, 'folded', options), 'utf8');
  return text.split('\n').filter((line) => line && !line.startsWith('#')).map((line) => {
    const blank = line.lastIndexOf(' ');
    return { frames: line.slice(0, blank).split(';'), value: Number(line.slice(blank + 1)) };
  });
}
function sumOf(rows) {
  return rows.reduce((sum, row) => sum + row.value, 0);
}
function shareOf(name, pattern) {
  const rows = stacks(name);
  return sumOf(rows.filter((row) => row.frames.some((frame) => pattern.test(frame)))) / sumOf(rows);
}
function functionsOf(name) {
  const sums = {};
  for (const row of stacks(name)) {
    const leaf = row.frames[row.frames.length - 1];
    for (const frame of new Set(row.frames)) {
      sums[frame] = sums[frame] || { self: 0, total: 0 };
      sums[frame].total += row.value;
    }
    sums[leaf].self += row.value;
  }
  return sums;
}

// A page that may ask for nothing but its own file, and complains of nothing.
async function open(file, act, prepare = null) {
  const page = await browser.newPage(), wrong = [];
  await page.setViewport({ width: 1200, height: 800 });
  page.on('console', (message) => { if (message.type() === 'error' || message.type() === 'warn') wrong.push(message.text()); });
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('request', (request) => { if (request.url() !== 'file://' + file) wrong.push('asks for ' + request.url()); });
  if (prepare) await prepare(page);
  await page.goto('file://' + file, { waitUntil: 'load', timeout: 120000 });
  try {
    await act(page);
    same(wrong, [], 'complaints');
  } finally {
    await page.close();
  }
}
const pressed = (page, id) => page.$eval('#' + id, (button) => button.getAttribute('aria-pressed'));
const text = (page, id) => page.$eval('#' + id, (element) => element.textContent);
const state = (page, what) => page.evaluate(`stapReport.state.${what}`);

async function table(page) {
  return page.evaluate(() => Object.fromEntries(stapReport.totalsBy('function').map((entry) =>
    [entry.name, { self: entry.self, total: entry.total }])));
}
const sorted = (object) => Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));

async function typeSearch(page, query) {
  await page.keyboard.press('/');
  await page.keyboard.type(query);
  await page.waitForFunction((wanted) => stapReport.state.pattern && stapReport.state.pattern.source === wanted, {}, query);
}

async function accessible(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await axe.run()).violations.map((one) => one.id + ' ' + one.nodes[0].html));
  same(found, [], 'axe-core');
}

// --- the tests

async function sums() {
  for (const name of ['clean', 'counts', 'timed']) {
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
    // What is no expression is searched as it is.
    await typeSearch(page, 'run()');
    await page.keyboard.press('Enter');
    await page.$eval('#query', (input) => { input.value = 'run('; input.dispatchEvent(new Event('input')); });
    await page.waitForFunction(() => stapReport.state.matched.length === 1);
  });
}

async function keys() {
  await open(report('clean', 'html'), async (page) => {
    await page.keyboard.press('i');
    same(await pressed(page, 'icicle'), 'true', 'icicle');
    await page.focus('#graph');
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    expect((await text(page, 'selected')).startsWith('loop '), 'arrows: ' + await text(page, 'selected'));
    await page.keyboard.press('Enter');
    expect(await state(page, 'zoom') > 0, 'zoom');
    await page.keyboard.press('Escape');
    same(await state(page, 'zoom'), 0, 'zoom after Escape');
    await typeSearch(page, 'walk');
    await page.keyboard.press('Enter');
    expect((await text(page, 'selected')).startsWith('walk '), 'first match');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    same(await page.$eval('#keys', (element) => element.hidden), false, 'keys');
    await page.keyboard.press('t');
    same(await page.$eval('#table', (element) => element.hidden), false, 'table');
  });
  // Every control can be reached.
  await open(report('clean', 'html'), async (page) => {
    const seen = new Set();
    for (let i = 0; i < 25; i++) {
      await page.keyboard.press('Tab');
      seen.add(await page.evaluate(() => document.activeElement.id));
    }
    for (const id of ['query', 'next', 'previous', 'reset', 'icicle', 'inverted', 'recursion', 'functions', 'thread', 'dark', 'help', 'graph']) {
      expect(seen.has(id), id + ' cannot be reached by Tab');
    }
  });
}

async function shapes() {
  await open(report('clean', 'html'), async (page) => {
    const functions = functionsOf('clean');
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

async function sandwich() {
  await open(report('clean', 'html'), async (page) => {
    await page.keyboard.press('t');
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
      return page.evaluate(() => stapReport.whole.total[0]);
    };
    same(await choose('worker 100/101'), worker, 'worker');
    same(await choose('all 2'), all, 'all threads');
  });
}

async function overTime() {
  await open(report('timed', 'html'), async (page) => {
    same(await page.$eval('#times', (element) => element.hidden), false, 'heat map');
    await page.$eval('#from', (input) => { input.value = '2.01'; });
    await page.$eval('#to', (input) => { input.value = '3.01'; input.dispatchEvent(new Event('change')); });
    same((await table(page)).spin, { self: 100, total: 100 }, 'the busy second');
    await page.click('#all-times');
    same(await page.evaluate(() => stapReport.whole.total[0]), 400, 'all times');
    await page.focus('#heat');
    for (const key of ['ArrowRight', 'ArrowRight', ' ', 'ArrowRight', ' ']) await page.keyboard.press(key);
    expect(await page.evaluate(() => stapReport.whole.total[0]) < 110, 'range by keys');
  });
}

// Many causes do not push the picture down; they can be unfolded, and are there on paper.
async function manyCauses() {
  const height = (page) => page.$eval('#quality', (element) => element.getBoundingClientRect().height);
  let few = 0;
  await open(report('stripped', 'html'), async (page) => { few = await height(page); });
  await open(report('ragged', 'html'), async (page) => {
    const folded = await height(page);
    expect(folded < 3 * few, `${folded} pixels of causes beside ${few}`);
    same(await page.$$eval('#quality > .missing', (lines) => lines.length), 4, 'lines');
    const summary = await page.$eval('#quality summary', (element) => element.textContent);
    same(await page.$$eval('#quality details li', (lines) => lines.length), 9, 'folded lines');
    expect(summary.endsWith(', 9 more causes') && summary.startsWith('missing: '), summary);
    await page.focus('#quality summary');
    await page.keyboard.press('Enter');
    expect(await height(page) > folded + 100, 'unfolded');
    await page.keyboard.press('Enter');
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    expect(await height(page) > folded + 100, 'on paper');
    await accessible(page);
  });
}

// What has no time is in the whole picture, in no range, and said.
async function partlyTimed() {
  await open(report('partly_timed', 'html'), async (page) => {
    const total = () => page.evaluate(() => stapReport.whole.total[0]);
    same(await total(), 425, 'all');
    expect((await text(page, 'quality')).includes('times: 25 samples have none'), 'the line');
    await page.$eval('#from', (input) => { input.value = '0'; });
    await page.$eval('#to', (input) => { input.value = '2.01'; input.dispatchEvent(new Event('change')); });
    same(await total(), 200, 'the first two seconds');
    same((await table(page)).late, undefined, 'late');
    await page.click('#all-times');
    same(await total(), 425, 'all again');
  });
}

async function idleWaits() {
  await open(report('clean', 'html'), async (page) => {
    same(await page.$eval('#busy', (element) => element.hidden), true, 'a button where nothing is idle');
  });
  await open(report('waits', 'html'), async (page) => {
    const total = () => page.evaluate(() => stapReport.whole.total[0]);
    same(await total(), 1000, 'all');
    same((await table(page))['[idle]'], { self: 0, total: 900 }, 'the group');
    await page.keyboard.press('w');
    same(await total(), 100, 'without idle waits');
    await page.keyboard.press('w');
    same(await total(), 1000, 'all again');
  });
}

async function differences() {
  capture('before');
  await open(report('after', 'html', ['--diff=' + work + '/before.tapir']), async (page) => {
    const widths = () => page.evaluate(() => {
      const tree = stapReport.state.tree, out = {};
      for (let i = 1; i < tree.size; i++) out[stapReport.data.names[tree.frame[i]]] = tree.width[i];
      return [out.new_way, out.old_way];
    });
    same(await widths(), [4000, 0], 'the shape of now');
    expect((await text(page, 'status')).includes('vanished: '), 'vanished');
    await page.keyboard.press('g');
    same(await widths(), [0, 4000], 'the shape of before');
  });
}

async function darkAndPrint() {
  await open(report('clean', 'html'), async (page) => {
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await page.keyboard.press('k');
    expect(await paper() !== light, 'dark');
    await accessible(page);
    const pdf = await page.pdf({ printBackground: true });
    expect(pdf.length > 5000, 'print');
    same(await pressed(page, 'dark'), 'true', 'dark after printing');
  });
  await open(report('clean', 'html'), async (page) => expect(await page.evaluate(() =>
    document.documentElement.classList.contains('dark')), 'the system is dark'), async (page) => {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  });
}

async function hostile() {
  const prepare = async (page) => {
    await page.evaluateOnNewDocument(() => { window.hostile = (what) => { (window.harm = window.harm || []).push(what); }; });
  };
  await open(report('hostile', 'html'), async (page) => {
    await page.keyboard.press('t');
    await typeSearch(page, 'script');
    same(await page.evaluate(() => window.harm || []), [], 'harm');
    const names = await page.evaluate(() => stapReport.data.names);
    expect(names.includes("</script><script>hostile('name')</script>"), 'the name as it is');
    same(await page.evaluate(() => document.querySelectorAll('img, svg, iframe').length), 0, 'elements');
    expect(await page.evaluate(() => document.body.textContent.includes('__proto__')), 'names in the table');
  }, prepare);
  await open(report('hostile', 'svg'), async (page) => same(await page.evaluate(() => window.harm || []), [], 'harm'), prepare);
}

// The page itself cannot reach anything.
async function policy() {
  await open(report('clean', 'html'), async (page) => {
    const refused = await page.evaluate(() => new Promise((resolve) => {
      document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
      const script = document.createElement('script');
      script.textContent = 'window.harm = 1';
      document.body.appendChild(script);
    }));
    expect(refused.startsWith('script-src'), 'a script was let in');
    same(await page.evaluate(() => window.harm), undefined, 'a script ran');
  }).catch((error) => expect(/complaints/.test(error.message) && /Content Security Policy/.test(error.message), error.message));
}

async function large() {
  const file = report('large', 'html');
  let client = null;
  // Times of the page's thread alone: other programs run, too.
  const threadTime = async () => {
    const { metrics } = await client.send('Performance.getMetrics');
    return 1000 * metrics.find((one) => one.name === 'ThreadTime').value;
  };
  await open(file, async (page) => {
    const nodes = await page.evaluate(() => stapReport.whole.size);
    expect(nodes > 450000, nodes + ' boxes');
    const loaded = await threadTime();
    await page.evaluate(() => { for (let i = 0; i < 10; i++) stapReport.draw(); });
    const redraw = (await threadTime() - loaded) / 10;
    const seen = await page.evaluate(() => ({ drawn: stapReport.state.drawn, width: stapReport.state.width,
      rows: Math.ceil(stapReport.state.height / 18) + 1 }));
    // However many there are, not more than one for each pixel of a row is looked at, beside those that are wider.
    expect(seen.drawn <= 2 * seen.rows * seen.width, seen.drawn + ' boxes drawn');
    expect((await text(page, 'status')).includes('frames below 1/20,000 of what is shown are folded away'), 'folded away');
    await typeSearch(page, 'function_12.*');
    expect(Math.abs(await state(page, 'share') - shareOf('large', /function_12.*/)) < 1e-9, 'share');
    console.log(`# ${nodes} boxes: load ${loaded.toFixed()} ms, redraw ${redraw.toFixed(1)} ms of processor time`);
  }, async (page) => {
    client = await page.createCDPSession();
    await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  });
}

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

browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium', headless: true, protocolTimeout: 300000,
  args: ['--no-sandbox', '--disable-gpu', '--allow-file-access-from-files']
});
await test('sums are those of folded stacks', sums);
await test('the share of a search is that of the stacks', searches);
await test('everything works by keys', keys);
await test('inverted, and recursion collapsed', shapes);
await test('callers and callees', sandwich);
await test('one thread', threads);
await test('samples over time', overTime);
await test('samples of which some have no time', partlyTimed);
await test('idle waits', idleWaits);
await test('many causes', manyCauses);
await test('differences', differences);
await test('dark, and on paper', darkAndPrint);
await test('accessible', async () => {
  await open(report('clean', 'html'), async (page) => {
    await page.keyboard.press('t');
    await accessible(page);
  });
});
await test('hostile names', hostile);
await test('nothing is let in', policy);
await test('500,000 boxes', large);
await test('a picture in SVG', svg);
await test('speedscope reads its format', speedscope);
await browser.close();
console.log(`# ${results.passed} passed, ${results.failed} failed`);
process.exit(results.failed ? 1 : 0);
