// SPDX-License-Identifier: GPL-2.0-or-later
// How pages look: places, colors, paper; who reads them by ear; what is hostile; 500,000 boxes.
import { accessible, compared, dark, expect, open, PHONE, pressed, report, same, shareOf, state, test, text, typeSearch } from './browser.mjs';

const PAGES = ['clean', 'counts', 'web', 'waits', 'leak', 'timed', 'ragged', 'cut', 'unknown'];
const files = () => PAGES.map((name) => report(name, 'html')).concat(compared('after', 'before'));

async function places() {
  for (const [size, most] of [[{ width: 1400, height: 900 }, 270], [PHONE, 370]]) {
    for (const file of files()) {
      await open(file, async (page) => {
        const top = await page.$eval('#graph', (canvas) => canvas.getBoundingClientRect().top + 18);
        expect(top <= most, `the first box of ${file} is at ${top} in ${size.width}`);
        expect(await page.$$eval('.card', (cards) => cards.length > 0 && cards[0].getBoundingClientRect().bottom < 270), 'cards above it');
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(wide <= size.width, `${file} is ${wide} pixels wide`);
      }, null, size);
    }
  }
}

// --- colors

const linear = (channel) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);
const rgb = (hex) => [1, 3, 5].map((at) => linear(parseInt(hex.slice(at, at + 2), 16) / 255));
// Machado, Oliveira and Fernandes, 2009: full dichromacy, in linear light.
const EYES = {
  trichromacy: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  achromatopsia: [[0.2126, 0.7152, 0.0722], [0.2126, 0.7152, 0.0722], [0.2126, 0.7152, 0.0722]]
};
const brightness = (color) => 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2];
function lightness(hex, eye) {
  const color = rgb(hex), seen = EYES[eye].map((row) => Math.max(0, Math.min(1, row[0] * color[0] + row[1] * color[1] + row[2] * color[2])));
  const y = brightness(seen);
  return y > 216 / 24389 ? 116 * Math.cbrt(y) - 16 : y * 24389 / 27;
}
// The chroma in CIELAB, D65.
function chroma(hex) {
  const [r, g, b] = rgb(hex), cube = (t) => (t > 216 / 24389 ? Math.cbrt(t) : (t * 24389 / 27 + 16) / 116);
  const x = cube((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505), y = cube(brightness([r, g, b])), z = cube((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return Math.hypot(500 * (x - y), 200 * (y - z));
}
const contrast = (a, b) => (Math.max(brightness(rgb(a)), brightness(rgb(b))) + 0.05) / (Math.min(brightness(rgb(a)), brightness(rgb(b))) + 0.05);

const OWNERS = [['own'], ['library', 'library-2', 'library-3'], ['kernel'], ['script'], ['fact']];
async function colors() {
  for (const prepare of [null, dark]) {
    await open(report('clean', 'html'), async (page) => {
      const value = await page.evaluate((names) => Object.fromEntries(names.map((name) =>
        [name, getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim()])), OWNERS.flat());
      for (const eye of Object.keys(EYES)) {
        OWNERS.forEach((one, i) => OWNERS.slice(i + 1).forEach((other) => one.forEach((a) => other.forEach((b) => {
          const apart = Math.abs(lightness(value[a], eye) - lightness(value[b], eye));
          expect(apart >= 12, `${a} and ${b} are ${apart.toFixed(1)} apart (${eye}${prepare ? ', dark' : ''})`);
        }))));
      }
      for (const name of OWNERS.flat().slice(1)) expect(chroma(value[name]) < chroma(value.own), name + ' has more chroma than own code');
      const fills = await page.evaluate(() => stapReport.state.fills.flat().map((fill) => [fill.text, fill.ink]));
      const hex = (css) => '#' + css.match(/\d+/g).map((one) => Number(one).toString(16).padStart(2, '0')).join('');
      for (const [fill, ink] of fills) expect(contrast(hex(fill), ink) >= 4.5, `text on ${fill} has a contrast of ${contrast(hex(fill), ink).toFixed(2)}`);
    }, prepare);
  }
}

// The colors that boxes have, where there is no text: pixels of the canvas.
async function painted() {
  await open(report('web', 'html'), async (page) => {
    const pixel = (name) => page.evaluate((wanted) => {
      const { state, boxName, rowHeight } = stapReport, tree = state.tree;
      stapReport.draw();
      for (let i = 1; i < tree.size; i++) {
        if (boxName(tree, i) !== wanted) continue;
        const x = tree.x[i] / tree.width[0] * state.width + 4, y = 18 + tree.depth[i] * rowHeight + 4 ;
        const copy = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d');
        copy.drawImage(document.getElementById('graph'), -x, -y);
        return '#' + Array.from(copy.getImageData(0, 0, 1, 1).data.slice(0, 3), (one) => one.toString(16).padStart(2, '0')).join('');
      }
      return '';
    }, name);
    const value = (name) => page.evaluate((one) => getComputedStyle(document.documentElement).getPropertyValue('--' + one).trim(), name);
    same(await pixel('compress'), await value('own'), 'own code');
    expect((await Promise.all(['library', 'library-2', 'library-3'].map(value))).includes(await pixel('deflate')), 'a library');
    await page.click('[data-owner=own]');
    same(await pixel('compress'), await value('own'), 'own code that is kept');
    expect(contrast(await pixel('deflate'), '#ffffff') < contrast(await value('library-2'), '#ffffff'), 'a library that is dimmed');
  });
}

// --- paper, ears, strangers

async function darkAndPrint() {
  await open(report('clean', 'html'), async (page) => {
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await page.keyboard.press('k');
    expect(await paper() !== light, 'dark');
    const pdf = await page.pdf({ printBackground: true });
    expect(pdf.length > 5000, 'print');
    same(await pressed(page, 'dark'), 'true', 'dark after printing');
    await page.emulateMediaType('print');
    const shown = (selector) => page.$eval(selector, (one) => one.getClientRects().length > 0);
    for (const part of ['h1', '.card', '#graph', '#body']) expect(await shown(part), part + ' is not on paper');
    for (const part of ['nav', '#signs', '.range']) expect(!await shown(part), part + ' is on paper');
  });
  await open(report('clean', 'html'), async (page) => expect(await page.evaluate(() =>
    document.documentElement.classList.contains('dark')), 'the system is dark'), dark);
  // Paper shows the warnings, too.
  await open(report('cut', 'html'), async (page) => {
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    same(await page.$eval('#trust', (one) => one.open), true, 'causes on paper');
  });
}

async function forEveryone() {
  for (const file of files()) {
    for (const prepare of [null, dark]) {
      await open(file, async (page) => {
        await page.click('#more');
        await page.focus('#graph');
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('ArrowDown');
        await page.click('#trust summary');
        await accessible(page);
        expect((await text(page, 'selected')).length > 3, 'the chosen box is told');
      }, prepare);
    }
  }
  await open(report('web', 'html'), accessible, null, PHONE);
}

async function hostile() {
  const prepare = async (page) => {
    await page.evaluateOnNewDocument(() => { window.hostile = (what) => { (window.harm = window.harm || []).push(what); }; });
  };
  await open(report('hostile', 'html'), async (page) => {
    await typeSearch(page, 'script');
    for (const key of ['Enter', 'Enter', 'Enter']) await page.keyboard.press(key);
    same(await page.evaluate(() => window.harm || []), [], 'harm');
    const names = await page.evaluate(() => stapReport.data.names);
    expect(names.includes("</script><script>hostile('name')</script>"), 'the name as it is');
    same(await page.evaluate(() => document.querySelectorAll('img, svg, iframe').length), 0, 'elements');
    await page.evaluate(() => { stapReport.search(''); document.getElementById('query').value = ''; });
    await page.select('#group', 'object');
    await page.select('#group', 'function');
    expect(await page.evaluate(() => document.body.textContent.includes('__proto__')), 'names in the list');
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

// Without scripts there is the head with the quality.
async function plain() {
  await open(report('cut', 'html'), async (page) => {
    const shown = await page.evaluate(() => document.body.innerText);
    expect(shown.includes('The picture needs scripts') && shown.includes('stacks cut'), shown);
  }, (page) => page.setJavaScriptEnabled(false));
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
      rows: Math.ceil(stapReport.state.height / stapReport.rowHeight) + 1 }));
    // However many there are, not more than one for each pixel of a row is looked at, beside those that are wider.
    expect(seen.drawn <= 2 * seen.rows * seen.width, seen.drawn + ' boxes drawn');
    expect((await text(page, 'status')).includes('boxes below 1/20,000 of the width are too thin to see'), 'too thin');
    await typeSearch(page, 'function_12.*');
    expect(Math.abs(await state(page, 'share') - shareOf('large', /function_12.*/)) < 1e-9, 'share');
    console.log(`# ${nodes} boxes: load ${loaded.toFixed()} ms, redraw ${redraw.toFixed(1)} ms of processor time`);
  }, async (page) => {
    client = await page.createCDPSession();
    await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  });
}

export async function run() {
  await test('the first box is near the top', places);
  await test('owners differ for every eye', colors);
  await test('boxes have the colors of their owners', painted);
  await test('dark, and on paper', darkAndPrint);
  await test('accessible', forEveryone);
  await test('hostile names', hostile);
  await test('nothing is let in', policy);
  await test('without scripts', plain);
  await test('500,000 boxes', large);
}
