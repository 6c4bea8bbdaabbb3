// SPDX-License-Identifier: GPL-2.0-or-later
// Keys, the mouse and fingers.
import { boxOf, browser, expect, hidden, open, PHONE, pressed, report, same, state, stacks, sumOf, test, text, typeSearch } from './browser.mjs';

const chosen = (page) => page.evaluate(() => {
  const { state, boxName } = stapReport;
  return state.selectedIn ? boxName(state.selectedIn, state.selected) : '';
});
const seen = (page) => page.evaluate(() => { const { x, width } = stapReport.range(stapReport.state.tree); return [x, width]; });

async function keys() {
  await open(report('clean', 'html'), async (page) => {
    await page.keyboard.press('i');
    same(await pressed(page, 'turn'), 'true', 'flames');
    await page.keyboard.press('i');
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
    await page.keyboard.press('c');
    const callers = await page.evaluate(() => Array.from(stapReport.state.tree.frame).slice(1).map((frame) => stapReport.data.names[frame]));
    same(callers, ['walk', 'worker', 'start_thread'], 'callers');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    same(await page.$eval('#keys', (dialog) => dialog.open), true, 'keys');
    await page.keyboard.press('Escape');
    same(await page.$eval('#keys', (dialog) => dialog.open), false, 'keys after Escape');
    await page.keyboard.press('t');
    same(await hidden(page, 'side'), true, 'without the list');
    await page.keyboard.press('t');
    await page.keyboard.press('f');
    same(await pressed(page, 'fold'), 'false', 'fold');
  });
  // Every control can be reached.
  await open(report('clean', 'html'), async (page) => {
    await page.click('#more');
    await page.keyboard.press('y');
    await page.focus('#trust summary');
    const ids = new Set(), wanted = ['dark', 'help', 'query', 'callees', 'inverted', 'fold', 'threads', 'more', 'turn', 'recursion', 'functions', 'thread', 'graph', 'group'];
    for (let i = 0; i < 45; i++) {
      await page.keyboard.press('Tab');
      ids.add(await page.evaluate(() => document.activeElement.id));
    }
    for (const id of wanted) expect(ids.has(id), id + ' cannot be reached by Tab');
  });
}

async function mouse() {
  await open(report('clean', 'html'), async (page) => {
    const all = sumOf(stacks('clean')), render = await boxOf(page, 'render');
    await page.mouse.move(render.x, render.y);
    same(await hidden(page, 'tip'), false, 'the hint');
    expect((await text(page, 'tip')).startsWith('render'), await text(page, 'tip'));
    await page.mouse.click(render.x, render.y);
    same(await chosen(page), 'render', 'the click');
    const [x, width] = await seen(page);
    same(width, 3500, 'zoomed');
    expect((await text(page, 'path')).endsWith('render'), 'the way to it');
    // Dragged to the left, what is at the right comes into view.
    const at = await boxOf(page, 'render');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x - 200, at.y, { steps: 5 });
    await page.mouse.up();
    const [moved, same_width] = await seen(page);
    expect(moved > x && Math.abs(same_width - width) < 1e-6, `dragged from ${x} to ${moved}`);
    same(await chosen(page), 'render', 'a drag is no click');
    await page.keyboard.press('Escape');
    same(await seen(page), [0, all], 'after Escape');
    // The box at the pointer stays there.
    const place = await page.$eval('#graph', (canvas) => canvas.getBoundingClientRect().toJSON()), part = 0.25;
    await page.mouse.move(place.left + place.width * part, place.top + 60);
    await page.keyboard.down('Control');
    await page.mouse.wheel({ deltaY: -150 });
    await page.keyboard.up('Control');
    await page.waitForFunction(() => stapReport.state.view);
    const [from, wide] = await seen(page);
    expect(wide < 0.6 * all && Math.abs(from + wide * part - all * part) < all / 200, `${from} and ${wide}`);
    const before = await seen(page);
    await page.mouse.wheel({ deltaY: -150 });
    same(await seen(page), before, 'a plain wheel');
  });
}

async function fingers() {
  await open(report('clean', 'html'), async (page) => {
    const render = await boxOf(page, 'handle_request');
    await page.touchscreen.tap(render.x, render.y);
    same(await chosen(page), 'handle_request', 'the first tap');
    same(await state(page, 'zoom'), 0, 'zoom after the first tap');
    const card = await page.$eval('#card', (one) => one.getBoundingClientRect().toJSON());
    same(Math.round(card.bottom), 800, 'the card is at the bottom');
    expect(card.height < 400, 'the card leaves room: ' + card.height);
    const words = await page.$$eval('#card button', (buttons) => buttons.map((button) => [button.textContent, button.offsetHeight]));
    for (const word of ['Zoom', 'Callers', 'Copy stack']) expect(words.some((one) => one[0] === word), word);
    for (const [word, height] of words) expect(height >= 40, `${word} is ${height} pixels high`);
    await page.touchscreen.tap(render.x, render.y);
    expect(await state(page, 'zoom') > 0, 'zoom after the second tap');
    await page.evaluate(() => stapReport.zoomTo(0));
    // Two fingers that part.
    const client = await page.createCDPSession(), touch = (type, points) => client.send('Input.dispatchTouchEvent', { type: type, touchPoints: points });
    const [, wide] = await seen(page);
    await touch('touchStart', [{ x: 150, y: render.y, id: 1 }, { x: 200, y: render.y, id: 2 }]);
    for (let step = 1; step <= 5; step++) await touch('touchMove', [{ x: 150 - 10 * step, y: render.y, id: 1 }, { x: 200 + 10 * step, y: render.y, id: 2 }]);
    await touch('touchEnd', []);
    const [, now] = await seen(page);
    expect(now < 0.6 * wide, `pinched from ${wide} to ${now}`);
  }, null, PHONE);
}

async function copies() {
  await open(report('clean', 'html'), async (page) => {
    await browser.defaultBrowserContext().overridePermissions('file://', ['clipboard-read', 'clipboard-write', 'clipboard-sanitized-write']).catch(() => {});
    await page.evaluate(() => {
      window.copied = '';
      Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (what) => { window.copied = what; } } });
      const { state, data, select } = stapReport;
      select(state.tree, state.tree.frame.indexOf(data.names.indexOf('parse_header'), 1));
      Array.from(document.querySelectorAll('#card button')).find((button) => button.textContent === 'Copy stack').click();
    });
    same(await page.evaluate(() => window.copied), 'main\nloop\nhandle_request\nparse_header', 'the stack');
  });
}

export async function run() {
  await test('everything works by keys', keys);
  await test('the mouse', mouse);
  await test('fingers', fingers);
  await test('a stack is copied', copies);
}
