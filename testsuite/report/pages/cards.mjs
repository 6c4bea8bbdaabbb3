// SPDX-License-Identifier: GPL-2.0-or-later
// Cards against the rule, computed here from folded stacks, and against the summary for terminals.
import { execFileSync } from 'node:child_process';
import { KEPT, capture, expect, open, programs, report, same, stacks, sumOf, test } from './browser.mjs';

const FORK = 0.05, KEEPS = 0.7;

function treeOf(rows) {
  const root = { name: 'all', kids: new Map(), value: 0, self: 0, up: null };
  for (const row of rows) {
    let at = root;
    at.value += row.value;
    for (const name of row.frames) {
      if (!at.kids.has(name)) at.kids.set(name, { name: name, kids: new Map(), value: 0, self: 0, up: at });
      at = at.kids.get(name);
      at.value += row.value;
    }
    at.self += row.value;
  }
  return root;
}

const widest = (node) => Array.from(node.kids.values()).sort((a, b) => b.value - a.value || (a.name < b.name ? -1 : 1));

// Where the branch forks: nodes, and "self" for what a function has itself.
function fork(branch, all) {
  if (branch.self || branch.node.name === '[idle]') return [];
  let node = branch.node;
  for (;;) {
    const parts = widest(node).filter((kid) => kid.value >= FORK * all).map((kid) => ({ node: kid, value: kid.value }));
    if (parts.length >= 2) return node.self >= FORK * all ? parts.concat({ node: node, self: true, value: node.self }) : parts;
    if (!parts.length || parts[0].value < KEEPS * branch.value) return [];
    node = parts[0].node;
  }
}

// [share of the whole, name] of each card.
function wantedCards(rows, isOwn, isNamed) {
  const root = treeOf(rows), all = root.value;
  let open = [{ node: root, value: all }], closed = [];
  while (open.length && open.length + closed.length < 5) {
    open.sort((a, b) => b.value - a.value);
    const parts = fork(open[0], all);
    if (parts.length) open.push(...parts);
    else closed.push(open[0]);
    open.shift();
  }
  closed = closed.concat(open).sort((a, b) => b.value - a.value).slice(0, 5);
  const cards = [], idle = [];
  for (const branch of closed) {
    const way = [branch.node];
    while (!branch.self && widest(way[way.length - 1]).length && widest(way[way.length - 1])[0].value >= KEEPS * branch.value) way.push(widest(way[way.length - 1])[0]);
    const own = way.filter((node) => node.up && isOwn(node.name)).pop();
    let named = way.find((node) => node.up && isNamed(node.name));
    // The own share of a frame without a name belongs to its nearest caller with one.
    for (let at = way[0]; branch.self && !named && at.up; at = at.up) if (isNamed(at.name)) named = at;
    if (branch.node.name === '[idle]') idle.push([branch.value, 'idle: ' + way[1].name.slice(1, -1)]);
    else {
      const at = own || named || way[way.length - 1];
      cards.push([branch.self ? branch.value : at.value, at.name]);
    }
  }
  cards.sort((a, b) => b[0] - a[0]);
  const rest = all - cards.concat(idle).reduce((sum, card) => sum + card[0], 0);
  return cards.concat(rest > 0 ? [[rest, 'elsewhere']] : [], idle);
}

async function rule() {
  for (const name of ['web', 'clean', 'timed', 'leak', 'waits', 'counts', ...KEPT]) {
    await open(report(name, 'html'), async (page) => {
      const rows = stacks(name), facts = await page.evaluate(() => stapReport.data.names.map((full, i) => [full, {
        owner: stapReport.data.owner[i], flags: stapReport.data.flags[i], short: stapReport.data.short[i] || full }]));
      const known = new Map(facts), short = (full) => (known.has(full) ? known.get(full).short : full);
      const own = (full) => ['0', '3'].includes(known.get(full).owner) && !(known.get(full).flags & 20);
      const named = (full) => known.get(full).owner !== '4' && !(known.get(full).flags & 52);
      const wanted = wantedCards(rows, own, named).map(([value, full]) => [value, short(full)]);
      const cards = await page.evaluate(() => stapReport.state.cards.map((card) => [card.value, card.name]));
      same(cards, wanted, name);
      same(cards.reduce((sum, card) => sum + card[0], 0), sumOf(rows), 'the sum of ' + name);
      same(await page.$$eval('.card', (shown) => shown.length), wanted.length, 'cards that are shown of ' + name);
    });
  }
}

// The makers of these captures know the culprits.
async function culprits() {
  for (const [name, share, culprit] of [['web', '30 %', 'compress'], ['leak', '74 %', 'strdup_pool'], ['timed', '25 %', 'spin']]) {
    await open(report(name, 'html'), async (page) => {
      const cards = await page.$$eval('.card', (all) => all.map((card) => [card.querySelector('b').textContent, card.querySelector('.name').textContent]));
      expect(cards.some((card) => card[0] === share && card[1] === culprit), `${culprit} is not in ${JSON.stringify(cards)}`);
    });
  }
  await open(report('waits', 'html'), async (page) => {
    const last = await page.$$eval('.card', (all) => [all[all.length - 1].className, all[all.length - 1].textContent]);
    same(last[0], 'card idle', 'idle comes last');
    expect(last[1].startsWith('90 %idle'), last[1]);
  });
}

// Programs with a known fault: the first card names it.
const FAULTS = {
  'culprit-lock': /^pthread_mutex_lock.* in place_order/, 'culprit-fsync': /^fsync.* in append_payment/,
  'culprit-leak': /^add_history/, 'culprit-slow': /^keysCommand/, 'culprit-regex': /^is_good_title/,
  'culprit-neighbor': /^runnable: compute_totals/
};

async function faults() {
  same(KEPT.slice().sort(), Object.keys(FAULTS).sort(), 'captures');
  for (const [name, fault] of Object.entries(FAULTS)) {
    await open(report(name, 'html'), async (page) => {
      const first = await page.evaluate(() => stapReport.cardText(stapReport.state.cards[0]));
      expect(fault.test(first), `${name}: ${first}`);
      same(await page.$eval('.card .name', (shown) => shown.textContent), first.split(/ › | in /)[0], name + ' shows');
    });
  }
}

// "12 %   3.4 ms  NAME in CALLER": the summary has them before its table.
function summaryCards(name) {
  const output = execFileSync(programs + '/stap-report', [capture(name), '--format=text', '--accept-partial'], {
    encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, COLUMNS: '400' }
  });
  const lines = output.split(/^ +TOTAL/m)[0].split('\n');
  return lines.map((line) => /^ *([<>]? ?[\d.]+ %) +(\S+ \S+) {2}(.*)$/.exec(line)).filter(Boolean).map((found) => found.slice(1));
}

async function asInSummary() {
  for (const name of ['web', 'clean', 'counts', 'timed', 'leak', 'locks', 'waits', ...KEPT]) {
    const wanted = summaryCards(name);
    expect(wanted.length > 0, name + ' has cards in its summary');
    await open(report(name, 'html'), async (page) => same(await page.evaluate(() => {
      const { state, percentText, valueText, cardText, whole } = stapReport;
      return state.cards.map((card) => [percentText(card.value / whole.total[0]), valueText(card.value), cardText(card)]);
    }), wanted, name));
  }
}

// A card leads to its box.
async function click() {
  await open(report('web', 'html'), async (page) => {
    await page.keyboard.press('v');
    await page.click('.card');
    same(await page.evaluate(() => {
      const { state, boxName } = stapReport;
      return [boxName(state.tree, state.zoom), boxName(state.selectedIn, state.selected)];
    }), ['compress', 'compress'], 'zoomed and chosen');
  });
}

export async function run() {
  await test('cards are those of the rule', rule);
  await test('cards are those of the summary', asInSummary);
  await test('cards name the culprit', culprits);
  await test('the first card names what is wrong with a program', faults);
  await test('a card leads to its box', click);
}
