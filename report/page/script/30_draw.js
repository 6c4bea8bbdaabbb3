
// --- drawing

const FINGER = window.matchMedia('(pointer: coarse)').matches;
const ROW = FINGER ? 30 : 23, AXIS = 18, GAP = 1, ROUND = 2.5, SHARE_FROM = 130;
const TYPE = 'system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif', FONT = '12.5px ' + TYPE;
const graph = $('graph'), scroll = $('scroll'), pen = graph.getContext('2d');

const state = {
  tree: null, callers: null,  // callers: of the sandwich, drawn upwards
  zoom: 0, view: null, selected: -1, selectedIn: null, hover: -1, hoverIn: null,
  turned: false, inverted: false, recursion: false, folded: true, before: false, sandwich: -1, callersOf: -1,
  thread: -1, from: 0, to: Infinity, busy: false, removed: [], owner: '',
  pattern: null, matches: null, matched: [], match: -1, share: 0, marks: null,
  colors: {}, fills: [], width: 0, height: 0, cards: []
};

const OWNER_WORDS = ['own', 'library', 'kernel', 'script', 'fact'];
// Libraries have shades of the same lightness, by file.
const PAINTS = ['own', 'library', 'kernel', 'script', 'fact', 'library-2', 'library-3', 'all', 'more', 'less', 'same'];

function hash(text) {
  let value = 2166136261;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  return (value ^ (value >>> 15)) >>> 0;
}

const objectPaints = data.objects.map(function (object) { return [LIBRARY, 5, 6][hash(baseName(object)) % 3]; });
function paintOf(frame) { return owners[frame] === LIBRARY ? objectPaints[data.object[frame]] : owners[frame]; }

function parseColor(text) {
  const value = parseInt(text.slice(1), 16);
  return [value >> 16, value >> 8 & 255, value & 255];
}

function mixed(a, b, part) {
  return a.map(function (channel, i) { return Math.round(channel + (b[i] - channel) * part); });
}

function luminance(color) {
  const linear = color.map(function (channel) {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4);
  });
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

// A color as canvas and image take it, with that of text on it (black or white has a contrast of 4.58 on each) and of a hatch that leaves the text its contrast.
function fillOf(color) {
  const light = luminance(color) > 0.179;
  return {
    text: 'rgb(' + color.join(',') + ')', ink: light ? '#000000' : '#ffffff', stripe: light ? 'light' : 'dark',
    pixel: (255 << 24 | color[2] << 16 | color[1] << 8 | color[0]) >>> 0
  };
}

const DIM = 0.72, hatches = {};
function readColors() {
  const style = getComputedStyle(document.documentElement);
  const read = function (name) { return style.getPropertyValue('--' + name).trim(); };
  state.colors = {};
  ['paper', 'ink', 'soft', 'line', 'accent', 'mark'].forEach(function (name) { state.colors[name] = read(name); });
  state.paints = PAINTS.map(function (name) { return parseColor(read(name)); });
  const paper = parseColor(state.colors.paper);
  state.paper = paper;
  state.fills = [0, DIM].map(function (dim) {
    return state.paints.map(function (paint) { return fillOf(mixed(paint, paper, dim)); });
  });
  state.changes = {};
  state.markPixel = fillOf(parseColor(state.colors.mark)).pixel;
  hatches.light = hatchPattern('rgba(255,255,255,0.45)');
  hatches.dark = hatchPattern('rgba(0,0,0,0.35)');
  hatches.fact = hatchPattern(read('stripe'));
}

function hatchPattern(color) {
  const tile = document.createElement('canvas'), small = tile.getContext('2d');
  tile.width = tile.height = 8;
  small.strokeStyle = color;
  small.lineWidth = 2;
  for (const from of [-8, 0, 8]) {
    small.beginPath();
    small.moveTo(from - 1, 9);
    small.lineTo(from + 9, -1);
    small.stroke();
  }
  return pen.createPattern(tile, 'repeat');
}

// The color for a change of a node's share: the larger the change, the stronger.
function changeFill(tree, node, dim) {
  const change = difference(tree, node), more = change.kind === 'more' || change.kind === 'new';
  const strength = change.kind === 'noise' ? 0 : Math.round(4 + 12 * Math.min(1, Math.sqrt(Math.abs(change.points) / 25)));
  const key = strength * 4 + (more ? 2 : 0) + (dim ? 1 : 0);
  if (!state.changes[key]) {
    const [full, same] = [state.paints[more ? 8 : 9], state.paints[10]];
    state.changes[key] = fillOf(mixed(mixed(same, full, strength / 16), state.paper, dim ? DIM : 0));
  }
  return state.changes[key];
}

function isDim(tree, node) {
  if (!node) return false;
  if (state.marks && tree === state.tree) return !state.marks[node];
  if (state.matches && !state.matches[tree.frame[node]]) return true;
  return state.owner !== '' && !isOfOwner(tree.frame[node], state.owner);
}

function isOfOwner(frame, owner) {
  return owner === 'unnamed' ? isUnnamed(frame) : owners[frame] === OWNER_WORDS.indexOf(owner);
}

function isMatch(tree, node) {
  if (!state.matches || !node) return false;
  return tree === state.tree && state.marks ? state.marks[node] === 1 : state.matches[tree.frame[node]] === 1;
}

function fillFor(tree, node) {
  const dim = isDim(tree, node);
  if (!node) return state.fills[0][7];
  return hasBefore ? changeFill(tree, node, dim) : state.fills[dim ? 1 : 0][paintOf(tree.frame[node])];
}

function hatchFor(tree, node, fill) {
  if (!node) return null;
  const frame = tree.frame[node];
  if (hasBefore) return tree.total[node] ? null : hatches[fill.stripe];
  if (owners[frame] === FACT) return hatches.fact;
  return isUnnamed(frame) && isUnnamed(tailFrame(tree, node)) ? hatches[fill.stripe] : null;
}

// Returns the trees to draw, each with the row of its root and the direction in which it grows.
function panes() {
  if (state.callers) {
    const up = state.callers.rows.length - 1;
    // The root of each is everything, which the sandwich does not show; its only child is the function.
    return [{ tree: state.callers, base: up, step: -1, least: 2 }, { tree: state.tree, base: up - 2, step: 1, least: 1 }];
  }
  const last = state.tree.rows.length - 1;
  return [state.turned ? { tree: state.tree, base: last, step: -1, least: 0 } : { tree: state.tree, base: 0, step: 1, least: 0 }];
}

function rowCount() {
  return state.callers ? Math.max(state.callers.rows.length + state.tree.rows.length - 3, 1) : state.tree.rows.length;
}

// The visible range of a tree, in units of its values.
function range(tree) {
  const main = tree === state.tree, zoom = main ? state.zoom : 0, view = main ? state.view : null;
  return { x: view ? view.x : tree.x[zoom], width: (view ? view.width : tree.width[zoom]) || 1, depth: tree.depth[zoom], zoom: zoom };
}

function ancestorAt(tree, node, depth) {
  while (tree.depth[node] > depth) node = tree.parent[node];
  return node;
}

// Widths of letters: asking the canvas for each text would take longer than drawing it.
const letters = new Map();
function letterWidth(letter) {
  let width = letters.get(letter);
  if (width === undefined) letters.set(letter, width = pen.measureText(letter).width);
  return width;
}

function textWidth(text) {
  let width = 0;
  for (const letter of text) width += letterWidth(letter);
  return width;
}

function cut(text, room) {
  let width = 0, fits = 0;
  const dots = letterWidth('\u2026');
  for (let i = 0; i < text.length; i++) {
    width += letterWidth(text[i]);
    if (width > room) return fits < 2 ? '' : text.slice(0, fits) + '\u2026';
    if (width + dots <= room) fits = i + 1;
  }
  return text;
}

// The total that all shares refer to.
function everything() { return state.before ? whole.oldTotal[0] : whole.total[0]; }

function boxShare(tree, node) {
  if (hasBefore && node) {
    const change = difference(tree, node);
    if (change.kind !== 'noise') return pointsText(change.points);
  }
  return percentText(tree.width[node] / (everything() || 1));
}

function boxTexts(tree, node, x, y, width, fill) {
  const left = Math.max(x, 0), right = Math.min(x + width, state.width), middle = y + ROW / 2 + 0.5;
  let room = right - left - 12, from = left + 6;
  if (room < 18) return;
  pen.fillStyle = fill.ink;
  if (hasBefore && node && difference(tree, node).kind === 'new') {
    pen.beginPath();
    pen.arc(from + 3, middle - 0.5, 3, 0, 7);
    pen.fill();
    from += 11;
    room -= 11;
  }
  if (right - left > SHARE_FROM) {
    const share = boxShare(tree, node), wide = textWidth(share);
    pen.textAlign = 'right';
    pen.fillText(share, right - 6, middle);
    pen.textAlign = 'left';
    room -= wide + 12;
  }
  const text = cut(boxName(tree, node), room);
  if (text) pen.fillText(text, from, middle);
}

function box(x, y, width, height) {
  pen.beginPath();
  if (width > 5) pen.roundRect(x, y, width, height, ROUND);
  else pen.rect(x, y, width, height);
}

function ring(x, y, width, color, thick) {
  pen.strokeStyle = color;
  pen.lineWidth = thick;
  box(x + thick / 2, y + thick / 2, Math.max(width - thick, 1), ROW - GAP - thick);
  pen.stroke();
}

function drawBox(tree, node, x, y, width, faded) {
  // Far beyond the edges there is nothing to see, and coordinates are exact.
  const left = Math.max(x, -8), shown = Math.max(Math.min(x + width, state.width + 8) - left - GAP, 0.5);
  const fill = fillFor(tree, node), hatch = hatchFor(tree, node, fill);
  pen.globalAlpha = faded ? 0.6 : 1;
  pen.fillStyle = fill.text;
  box(left, y, shown, ROW - GAP);
  pen.fill();
  if (hatch) {
    pen.fillStyle = hatch;
    pen.fill();
  }
  pen.globalAlpha = 1;
  const hovered = state.hoverIn && node && tree.frame[node] === state.hoverIn.frame[state.hover] && state.hover > 0;
  if (node === state.selected && tree === state.selectedIn) ring(left, y, shown, state.colors.accent, 2);
  else if (isMatch(tree, node)) ring(left, y, shown, state.colors.mark, 2);
  else if (hovered) ring(left, y, shown, state.colors.ink, 1);
  boxTexts(tree, node, x, y, width, faded && fill.ink !== '#000000' ? { ink: state.colors.ink } : fill);
}

// Boxes narrower than this have no text. They are pixels of a strip, which is stretched to the height of a row.
const NARROW = 4;
const strip = document.createElement('canvas'), stripPen = strip.getContext('2d');

// One row. If boxes share a pixel, the first is shown, which is the widest.
function drawRow(pane, depth, y) {
  const tree = pane.tree, seen = range(tree);
  if (depth < seen.depth) {
    drawBox(tree, ancestorAt(tree, seen.zoom, depth), 0, y, state.width, true);
    return 1;
  }
  const row = tree.rows[depth], scale = state.width / seen.width, end = seen.x + seen.width, wide = [];
  let drawn = 0, image = null, pixels = null;
  for (let i = firstBeyond(tree, row, seen.x); i < row.length;) {
    const node = row[i], start = tree.x[node];
    if (start >= end) break;
    const x = (start - seen.x) * scale, width = tree.width[node] * scale;
    drawn++;
    if (width >= NARROW) {
      wide.push(node, x, width);
      i++;
      continue;
    }
    if (!image) {
      image = stripPen.createImageData(state.width, 1);
      pixels = new Uint32Array(image.data.buffer);
    }
    const left = Math.max(Math.floor(x), 0), right = Math.max(Math.floor(x + width), left + 1);
    pixels.fill(isMatch(tree, node) ? state.markPixel : fillFor(tree, node).pixel, left, right);
    i = width >= 1 ? i + 1 : Math.max(firstBeyond(tree, row, seen.x + right / scale, i), i + 1);
  }
  if (image) {
    stripPen.putImageData(image, 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(strip, 0, 0, state.width, 1, 0, y, state.width, ROW - GAP);
  }
  for (let i = 0; i < wide.length; i += 3) drawBox(tree, wide[i], wide[i + 1], y, wide[i + 2], false);
  if (state.selectedIn === tree && state.selected >= 0 && tree.depth[state.selected] === depth) outlineNarrow(seen, scale, y);
  return drawn;
}

function outlineNarrow(seen, scale, y) {
  const tree = state.selectedIn, width = tree.width[state.selected] * scale;
  if (width >= NARROW) return;
  pen.fillStyle = state.colors.accent;
  pen.fillRect((tree.x[state.selected] - seen.x) * scale - 1, y, Math.max(width, 1) + 2, ROW - GAP);
}

// Five marks above the picture, which stay there: amounts of what was measured, else shares.
function drawAxis() {
  const seen = range(state.tree), from = seen.x - state.tree.x[state.zoom], all = everything() || 1;
  pen.fillStyle = state.colors.paper;
  pen.fillRect(0, 0, state.width, AXIS);
  pen.font = '11px ' + TYPE;
  pen.fillStyle = state.colors.soft;
  for (let mark = 0; mark < 5; mark++) {
    const value = from + seen.width * mark / 4, x = state.width * mark / 4;
    const text = Math.abs(value) < seen.width / 1e6 ? '0' : isTime || measure.kind === 'bytes' ? valueText(value) : percentText(value / all);
    pen.textAlign = mark === 0 ? 'left' : mark === 4 ? 'right' : 'center';
    pen.fillText(text, x, AXIS / 2);
  }
  pen.textAlign = 'left';
}

function draw() {
  if (state.width < 1) return;
  const rows = rowCount(), top = scroll.scrollTop;
  pen.setTransform(state.ratio, 0, 0, state.ratio, 0, 0);
  pen.fillStyle = state.colors.paper;
  pen.fillRect(0, 0, state.width, state.height);
  pen.font = FONT;
  pen.textBaseline = 'middle';
  let drawn = 0;
  panes().forEach(function (pane) {
    for (let depth = pane.least; depth < pane.tree.rows.length; depth++) {
      const y = AXIS + (pane.base + pane.step * depth) * ROW - top;
      if (y > -ROW && y < state.height) drawn += drawRow(pane, depth, y);
    }
  });
  drawAxis();
  state.drawn = drawn;
  state.rowCount = rows;
}

let waiting = false;
function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(function () {
    waiting = false;
    draw();
  });
}

function rowsHeight() { return AXIS + rowCount() * ROW; }

// The canvas is as large as what is visible; the spacer makes the rest scroll.
function resize() {
  state.ratio = window.devicePixelRatio || 1;
  const beside = window.matchMedia('(min-width: 901px)').matches && !state.room;
  scroll.style.height = beside ? '' : Math.min(rowsHeight(), state.room || window.innerHeight * 0.7) + 'px';
  state.width = scroll.clientWidth;
  state.height = Math.min(scroll.clientHeight || rowsHeight(), Math.max(rowsHeight(), 1));
  strip.width = Math.max(state.width, 1);
  strip.height = 1;
  graph.width = Math.round(state.width * state.ratio);
  graph.height = Math.round(state.height * state.ratio);
  graph.style.width = state.width + 'px';
  graph.style.height = state.height + 'px';
  $('spacer').style.height = Math.max(rowsHeight() - state.height, 0) + 'px';
  redraw();
}
