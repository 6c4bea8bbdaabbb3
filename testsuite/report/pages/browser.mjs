// SPDX-License-Identifier: GPL-2.0-or-later
// Code that tests of pages share: captures, a browser, and folded stacks of the same capture.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { readFileSync, readdirSync } from 'node:fs';

const [modules, programs, work] = process.argv.slice(2);
export { programs, work };
export const load = createRequire(modules + '/');
const puppeteer = load('puppeteer-core');
const axe = readFileSync(load.resolve('axe-core/axe.min.js'), 'utf8');

export const results = { passed: 0, failed: 0 };
export let browser = null;

export async function launch() {
  browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium', headless: true, protocolTimeout: 300000,
    args: ['--no-sandbox', '--disable-gpu', '--allow-file-access-from-files']
  });
}

export function expect(is, what) {
  if (!is) throw new Error(what);
}
export function same(is, wanted, what) {
  const a = JSON.stringify(is), b = JSON.stringify(wanted);
  expect(a === b, `${what}: ${a}, not ${b}`);
}

export async function test(name, act) {
  const only = process.env.PAGES;
  if (only && !name.includes(only)) return;
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

// Captures of a real run (testsuite/vm/flame/culprits.sh), or made ones.
const kept = new URL('../captures/', import.meta.url).pathname;
export const KEPT = readdirSync(kept).filter((file) => file.endsWith('.tapir')).map((file) => file.slice(0, -6));
export function capture(name) {
  if (KEPT.includes(name)) return `${kept}${name}.tapir`;
  execFileSync(programs + '/make_capture', [name, `${work}/${name}.tapir`]);
  return `${work}/${name}.tapir`;
}
export function report(name, format, options = []) {
  const file = `${work}/${name}.${format}`;
  execFileSync(programs + '/stap-report', [capture(name), '-o', file, '--accept-partial', ...options], { stdio: 'ignore' });
  return file;
}
export function compared(name, before) {
  capture(before);
  return report(name, 'html', [`--diff=${work}/${before}.tapir`]);
}
export function stacks(name, options = []) {
  const text = readFileSync(report(name, 'folded', options), 'utf8');
  return text.split('\n').filter((line) => line && !line.startsWith('#')).map((line) => {
    const blank = line.lastIndexOf(' ');
    return { frames: line.slice(0, blank).split(';'), value: Number(line.slice(blank + 1)) };
  });
}
export function sumOf(rows) {
  return rows.reduce((sum, row) => sum + row.value, 0);
}
export function shareOf(name, pattern) {
  const rows = stacks(name);
  return sumOf(rows.filter((row) => row.frames.some((frame) => pattern.test(frame)))) / sumOf(rows);
}
export function functionsOf(name) {
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
export async function open(file, act, prepare = null, size = { width: 1400, height: 900 }, hash = '') {
  const page = await browser.newPage(), wrong = [];
  await page.setViewport(size);
  page.on('console', (message) => { if (message.type() === 'error' || message.type() === 'warn') wrong.push(message.text()); });
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('request', (request) => { if (request.url().replace(/#.*/, '') !== 'file://' + file) wrong.push('asks for ' + request.url()); });
  if (prepare) await prepare(page);
  await page.goto('file://' + file + hash, { waitUntil: 'load', timeout: 120000 });
  try {
    await act(page);
    same(wrong, [], 'complaints');
  } finally {
    await page.close();
  }
}
export const PHONE = { width: 390, height: 800, isMobile: true, hasTouch: true };
export const dark = (page) => page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
export const pressed = (page, id) => page.$eval('#' + id, (button) => button.getAttribute('aria-pressed'));
export const hidden = (page, id) => page.$eval('#' + id, (element) => element.hidden);
export const text = (page, id) => page.$eval('#' + id, (element) => element.textContent);
export const state = (page, what) => page.evaluate(`stapReport.state.${what}`);
export const total = (page) => page.evaluate(() => stapReport.whole.total[0]);

export async function table(page) {
  return page.evaluate(() => Object.fromEntries(stapReport.totalsBy('function').map((entry) =>
    [entry.name, { self: entry.self, total: entry.total }])));
}
export const sorted = (object) => Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));

export async function typeSearch(page, query) {
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('/');
  await page.keyboard.type(query);
  await page.waitForFunction((wanted) => stapReport.state.pattern && stapReport.state.pattern.source === wanted, {}, query);
}

// The middle of the box of this text, on the window; null: it is not to be seen.
export async function boxOf(page, name) {
  return page.evaluate((wanted) => {
    const { state, range, boxName } = stapReport, tree = state.tree, seen = range(tree);
    for (let i = 0; i < tree.size; i++) {
      if (boxName(tree, i) !== wanted || !(tree.width[i] > 0)) continue;
      const place = document.getElementById('graph').getBoundingClientRect(), scale = state.width / seen.width;
      const left = Math.max(0, (tree.x[i] - seen.x) * scale), right = Math.min(state.width, (tree.x[i] + tree.width[i] - seen.x) * scale);
      return { x: place.left + (left + right) / 2, y: place.top + 18 + stapReport.rowHeight * (tree.depth[i] + 0.5) };
    }
    return null;
  }, name);
}

export async function accessible(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await axe.run()).violations.map((one) => one.id + ' ' + one.nodes[0].html));
  same(found, [], 'axe-core');
}
