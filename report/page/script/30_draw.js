
// --- drawing

const ROW = 18, FONT = '12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
const graph = $('graph'), scroll = $('scroll'), pen = graph.getContext('2d');

const state = {
  tree: null, callers: null,  // callers: of the sandwich, drawn upwards
  zoom: 0, selected: -1, selectedIn: null,
  icicle: false, inverted: false, recursion: false, before: false, sandwich: -1,
  thread: -1, from: 0, to: Infinity, busy: false,
  pattern: null, matches: null, matched: [], match: -1,
  colors: {}, column: 7.2, width: 0, height: 0
};

function hash(text) {
  let value = 2166136261;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  return (value ^ (value >>> 15)) >>> 0;
}

// A color for the canvas, and the same as a pixel of an image.
function color(hue, saturation, lightness) {
  const s = saturation / 100, l = lightness / 100, a = s * Math.min(l, 1 - l);
  const channel = function (n) {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (l - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  const r = channel(0), g = channel(8), b = channel(4);
  return { text: 'rgb(' + r + ',' + g + ',' + b + ')', pixel: (255 << 24 | b << 16 | g << 8 | r) >>> 0 };
}

const PLAIN = color(0, 0, 88), NOISE = color(0, 0, 86), UNNAMED = color(0, 0, 81), FOUND = color(291, 95, 62);
const HUES = [48, 75, 100, 130, 160, 178];
const frameColors = data.names.map(function (name, frame) {
  const shade = hash(name) % 8, origin = originOf(frame);
  if (origin === MARK || isUnnamed(frame)) return UNNAMED;
  if (origin === KERNEL) return color(26 + shade / 2, 92, 66 + shade);
  if (origin === SCRIPT) return color(205 + shade, 70, 72 + shade);
  return color(HUES[hash(objectOf(frame)) % HUES.length] + shade / 2, 62, 64 + shade);
});

function differenceColor(tree, node) {
  const change = difference(tree, node), strength = Math.min(1, Math.sqrt(Math.abs(change.points) / 10)) * 35;
  switch (change.kind) {
    case 'more': return color(4, 88, 90 - strength);
    case 'less': return color(212, 88, 90 - strength);
    case 'new': return color(285, 75, 88 - strength / 2);
    case 'gone': return color(150, 40, 75);
    default: return NOISE;
  }
}

function colorOf(tree, node) {
  if (!node) return PLAIN;
  if (state.matches && state.matches[tree.frame[node]]) return FOUND;
  return hasBefore ? differenceColor(tree, node) : frameColors[tree.frame[node]];
}

function hatched(tree, node) {
  return node > 0 && (isUnnamed(tree.frame[node]) || originOf(tree.frame[node]) === MARK);
}

let hatch = null;
function hatchPattern() {
  if (hatch) return hatch;
  const tile = document.createElement('canvas'), small = tile.getContext('2d');
  tile.width = tile.height = 8;
  small.strokeStyle = 'rgba(0, 0, 0, 0.3)';
  small.lineWidth = 1.5;
  small.beginPath();
  small.moveTo(-2, 10); small.lineTo(10, -2);
  small.moveTo(-2, 2); small.lineTo(2, -2);
  small.moveTo(6, 10); small.lineTo(10, 6);
  small.stroke();
  hatch = pen.createPattern(tile, 'repeat');
  return hatch;
}

// What is drawn: trees with the row of their root and the direction in which they grow.
function panes() {
  if (state.callers) {
    const up = state.callers.rows.length - 1;
    // The root of each is everything, which the sandwich does not show; its only child is the function.
    return [{ tree: state.callers, base: up, step: -1, least: 2 }, { tree: state.tree, base: up - 2, step: 1, least: 1 }];
  }
  const last = state.tree.rows.length - 1;
  return [state.icicle ? { tree: state.tree, base: 0, step: 1, least: 0 } : { tree: state.tree, base: last, step: -1, least: 0 }];
}

function rowCount() {
  return state.callers ? Math.max(state.callers.rows.length + state.tree.rows.length - 3, 1) : state.tree.rows.length;
}

function range(tree) {
  const zoom = tree === state.tree ? state.zoom : 0;
  return { x: tree.x[zoom], width: tree.width[zoom] || 1, depth: tree.depth[zoom], zoom: zoom };
}

function ancestorAt(tree, node, depth) {
  while (tree.depth[node] > depth) node = tree.parent[node];
  return node;
}

// Texts in boxes, cut to their width.
function label(tree, node, x, y, width) {
  const left = Math.max(x, 0), columns = Math.floor((Math.min(x + width, state.width) - left - 6) / state.column);
  if (columns < 3) return;
  const name = node ? data.names[tree.frame[node]] : 'all';
  pen.fillText(name.length <= columns ? name : name.slice(0, columns - 2) + '..', left + 3, y + 13);
}

function drawBox(tree, node, x, y, width, faded) {
  const shown = Math.max(width - 0.5, 0.5);
  pen.globalAlpha = faded ? 0.55 : 1;
  pen.fillStyle = colorOf(tree, node).text;
  pen.fillRect(x, y, shown, ROW - 1);
  if (hatched(tree, node)) {
    pen.fillStyle = hatchPattern();
    pen.fillRect(x, y, shown, ROW - 1);
  }
  pen.globalAlpha = 1;
  if (node === state.selected && tree === state.selectedIn) {
    pen.strokeStyle = state.colors.pick;
    pen.lineWidth = 2;
    pen.strokeRect(Math.max(x, 0) + 1, y + 1, Math.max(Math.min(shown, state.width) - 2, 1), ROW - 3);
  }
  pen.fillStyle = '#111';
  label(tree, node, x, y, width);
}

// Boxes narrower than this have no text. They are pixels of a strip, which is stretched to the height of a row.
const NARROW = 4;
const strip = document.createElement('canvas'), stripPen = strip.getContext('2d');

// One row. Of boxes that share a pixel the first is shown.
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
    pixels.fill(colorOf(tree, node).pixel, left, right);
    i = width >= 1 ? i + 1 : Math.max(firstBeyond(tree, row, seen.x + right / scale, i), i + 1);
  }
  if (image) {
    stripPen.putImageData(image, 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(strip, 0, 0, state.width, 1, 0, y, state.width, ROW - 1);
  }
  for (let i = 0; i < wide.length; i += 3) drawBox(tree, wide[i], wide[i + 1], y, wide[i + 2], false);
  if (state.selectedIn === tree && state.selected >= 0 && tree.depth[state.selected] === depth) outlineNarrow(seen, scale, y);
  return drawn;
}

function outlineNarrow(seen, scale, y) {
  const tree = state.selectedIn, width = tree.width[state.selected] * scale;
  if (width >= NARROW) return;
  pen.fillStyle = state.colors.pick;
  pen.fillRect((tree.x[state.selected] - seen.x) * scale - 1, y, Math.max(width, 1) + 2, ROW - 1);
}

function draw() {
  const rows = rowCount(), top = scroll.scrollTop;
  pen.setTransform(state.ratio, 0, 0, state.ratio, 0, 0);
  pen.fillStyle = state.colors.paper;
  pen.fillRect(0, 0, state.width, state.height);
  pen.font = FONT;
  let drawn = 0;
  panes().forEach(function (pane) {
    for (let depth = pane.least; depth < pane.tree.rows.length; depth++) {
      const y = (pane.base + pane.step * depth) * ROW - top;
      if (y > -ROW && y < state.height) drawn += drawRow(pane, depth, y);
    }
  });
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

// The canvas is as large as what is visible; the spacer makes the rest scroll.
function resize() {
  state.ratio = window.devicePixelRatio || 1;
  scroll.style.height = Math.min(rowCount() * ROW, state.room || window.innerHeight * 0.62) + 'px';
  state.width = scroll.clientWidth;
  state.height = scroll.clientHeight;
  strip.width = state.width;
  strip.height = 1;
  graph.width = Math.round(state.width * state.ratio);
  graph.height = Math.round(state.height * state.ratio);
  graph.style.width = state.width + 'px';
  graph.style.height = state.height + 'px';
  $('spacer').style.height = Math.max(rowCount() * ROW - state.height, 0) + 'px';
  pen.font = FONT;
  state.column = pen.measureText('mmmmmmmmmm').width / 10;
  redraw();
}

function readColors() {
  const style = getComputedStyle(document.documentElement);
  state.colors = { paper: style.getPropertyValue('--paper').trim(), pick: style.getPropertyValue('--pick').trim() };
}
