
// --- the strip of time and threads: pieces of the time from left to right, stacked by owner; not in comparisons, whose
// colors tell something else

const PIECES = 600, SAMPLES_EACH = 8, STRIP = 36, THREAD_ROW = 12, MOST_THREADS = 8, GUTTER = 150;
const band = $('strip'), bandPen = band.getContext('2d');
const hasStrip = data.timed && !hasBefore;
const threadRows = { open: false, shown: [], others: 0 };
const strips = { end: 0, pieces: 0, rows: [], from: -1, to: -1 };

function threadText(thread) {
  return thread === -2 ? counted(threadRows.others, 'other threads') : data.threads[thread];
}

function rangeText() {
  return (state.from || 0).toFixed(2) + ' s to ' + (state.to < Infinity ? state.to.toFixed(2) + ' s' : 'the end');
}

function showRange() {
  $('from').value = state.from ? String(state.from) : '';
  $('to').value = Number.isFinite(state.to) ? String(state.to) : '';
  drawStrip();
  drawHeat();
}

// An end at or after the last sample is none: a range up to there has that sample.
function setTimes(from, to) {
  state.from = from > 0 ? from : 0;
  state.to = to > 0 && Math.round(to * 1e6) < strips.end ? to : Infinity;
}

function chooseTimes(from, to) {
  setTimes(from, to);
  showRange();
  refilter();
}

function chooseThread(thread) {
  state.thread = thread;
  $('thread').value = String(thread);
  drawStrip();
  refilter();
}

// The owner of each node's time in the whole tree. Waits end in the kernel: the kernel's caller, if any, owns them.
const nodeOwners = (function () {
  const out = new Uint8Array(whole.size).fill(FACT);
  for (let i = 1; i < whole.size; i++) {
    const owner = owners[whole.frame[i]];
    out[i] = !data.waits ? owner : idleNodes && idleNodes[i] ? FACT : owner === KERNEL && whole.parent[i] ? out[whole.parent[i]] : owner;
  }
  return out;
})();

// Sums by row, piece and owner of the running function. Few samples make few pieces: else there would be nothing but
// noise. Without times each row is one piece.
function fillStrips() {
  const count = samples.node.length, sums = new Float64Array(data.threads.length);
  for (let i = 0; i < count; i++) {
    sums[samples.thread[i]] += samples.value[i];
    if (data.timed) strips.end = Math.max(strips.end, samples.time[i]);
  }
  const order = Array.from(sums.keys()).filter(function (thread) { return sums[thread] > 0; });
  order.sort(function (a, b) { return sums[b] - sums[a]; });
  threadRows.shown = order.slice(0, order.length > MOST_THREADS + 1 ? MOST_THREADS : MOST_THREADS + 1);
  threadRows.others = order.length - threadRows.shown.length;
  strips.pieces = data.timed ? Math.round(Math.max(60, Math.min(PIECES, count / SAMPLES_EACH))) : 1;
  const names = [-1].concat(threadRows.shown, threadRows.others ? [-2] : []), rowOfThread = new Int32Array(data.threads.length).fill(names.length - 1);
  threadRows.shown.forEach(function (thread, i) { rowOfThread[thread] = i + 1; });
  strips.rows = names.map(function (thread) { return { thread: thread, parts: new Float64Array(strips.pieces * 5), most: 0 }; });
  for (let i = 0; i < count; i++) {
    // A sample without a time is in no piece.
    if (data.timed && !samples.time[i]) continue;
    const piece = data.timed ? Math.min(strips.pieces - 1, Math.floor(samples.time[i] * strips.pieces / (strips.end + 1))) : 0;
    const at = piece * 5 + nodeOwners[samples.node[i]];
    strips.rows[0].parts[at] += samples.value[i];
    strips.rows[rowOfThread[samples.thread[i]]].parts[at] += samples.value[i];
  }
  strips.rows.forEach(function (row) {
    for (let piece = 0; piece < strips.pieces; piece++) row.most = Math.max(row.most, pieceSum(row, piece));
  });
}

function pieceSum(row, piece) {
  let sum = 0;
  for (let owner = 0; owner < 5; owner++) sum += row.parts[piece * 5 + owner];
  return sum;
}

function stripHeight() {
  const rows = threadRows.open ? (strips.rows.length - 1) * THREAD_ROW : 0;
  return (hasStrip ? STRIP : 0) + rows;
}

// From the program's own code at the bottom up to what is no code.
const STACKED = [OWN, SCRIPT, LIBRARY, KERNEL, FACT];

function fillOwner(owner, x, y, width, height) {
  for (const fill of owner === FACT ? [state.fills[0][owner].text, hatches.fact] : [state.fills[0][owner].text]) {
    bandPen.fillStyle = fill;
    bandPen.fillRect(x, y, width, height);
  }
}

function drawPieces(row, y, height, left, width) {
  for (let piece = 0; piece < strips.pieces; piece++) {
    const from = left + Math.round(width * piece / strips.pieces), to = left + Math.round(width * (piece + 1) / strips.pieces);
    let bottom = y + height;
    for (const owner of STACKED) {
      const tall = row.parts[piece * 5 + owner] / (row.most || 1) * (height - 1);
      if (!tall) continue;
      fillOwner(owner, from, bottom - tall, Math.max(to - from - (width > 3 * strips.pieces ? 1 : 0), 1), tall);
      bottom -= tall;
    }
  }
}

// Without times a thread is a bar as long as its part of the longest.
function drawBar(row, y, left, width) {
  const longest = strips.rows.slice(1).reduce(function (most, one) { return Math.max(most, one.most); }, 0) || 1;
  let x = left;
  for (const owner of STACKED) {
    const wide = row.parts[owner] / longest * width;
    fillOwner(owner, x, y + 1, wide, THREAD_ROW - 2);
    x += wide;
  }
}

function stripSize() {
  const box = $('strips'), style = getComputedStyle(box), width = Math.max(1, box.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
  const left = threadRows.open ? Math.min(GUTTER, width / 3) : 0;
  return { width: width, left: left, span: width - left };
}

function drawStrip() {
  const height = stripHeight(), ratio = window.devicePixelRatio || 1;
  $('strips').hidden = !height && $('times').hidden;
  band.hidden = !height;
  if (!height || !state.fills.length) return;
  const size = stripSize();
  band.width = Math.round(size.width * ratio);
  band.height = Math.round(height * ratio);
  band.style.width = size.width + 'px';
  band.style.height = height + 'px';
  bandPen.setTransform(ratio, 0, 0, ratio, 0, 0);
  bandPen.clearRect(0, 0, size.width, height);
  bandPen.font = '10.5px ' + TYPE;
  bandPen.textBaseline = 'middle';
  let y = 0;
  if (hasStrip) {
    drawPieces(strips.rows[0], 0, STRIP, size.left, size.span);
    y = STRIP;
  }
  if (threadRows.open) strips.rows.slice(1).forEach(function (row) {
    bandPen.globalAlpha = state.thread === -1 || state.thread === row.thread ? 1 : 0.35;
    if (data.timed) drawPieces(row, y, THREAD_ROW, size.left, size.span);
    else drawBar(row, y, size.left, size.span);
    bandPen.globalAlpha = 1;
    bandPen.fillStyle = state.thread === row.thread ? state.colors.accent : state.colors.ink;
    bandPen.fillText(threadText(row.thread), 2, y + THREAD_ROW / 2, size.left - 8);
    y += THREAD_ROW;
  });
  drawChosenTime(size, height);
}

function drawChosenTime(size, height) {
  const dragged = strips.from >= 0, whole = strips.end / 1e6;
  const from = dragged ? Math.min(strips.from, strips.to) : state.from / whole;
  const to = dragged ? Math.max(strips.from, strips.to) : Math.min(state.to / whole, 1);
  if (!data.timed || (from <= 0 && to >= 1)) return;
  bandPen.globalAlpha = 0.7;
  bandPen.fillStyle = state.colors.paper;
  bandPen.fillRect(size.left, 0, size.span * from, height);
  bandPen.fillRect(size.left + size.span * to, 0, size.span * (1 - to), height);
  bandPen.globalAlpha = 1;
  bandPen.fillStyle = state.colors.accent;
  for (const edge of [from, to]) bandPen.fillRect(size.left + size.span * edge - 1, 0, 2, height);
}

function partAt(event) {
  const place = band.getBoundingClientRect(), size = stripSize();
  return Math.max(0, Math.min(1, (event.clientX - place.left - size.left) / size.span));
}

function rowAt(event) {
  const place = band.getBoundingClientRect(), y = event.clientY - place.top - (hasStrip ? STRIP : 0);
  return threadRows.open && y >= 0 ? strips.rows[1 + Math.floor(y / THREAD_ROW)] : undefined;
}

function tellStrip(event) {
  const row = rowAt(event), parts = row && row.thread !== -1 ? [threadText(row.thread)] : [];
  if (data.timed) {
    const part = partAt(event), piece = Math.min(strips.pieces - 1, Math.floor(part * strips.pieces));
    parts.push((part * strips.end / 1e6).toFixed(2) + ' s: ' + valueText(pieceSum(row || strips.rows[0], piece)));
  } else if (row) {
    parts.push(valueText(row.most));
  }
  showTip([parts.join(', ')], event);
}

function startStrip() {
  fillStrips();
  $('threads').hidden = data.threads.length < 2;
  if (data.timed) $('heat-map').hidden = false;
  const options = [[-1, 'all ' + data.threads.length]].concat(data.threads.map(function (name, i) { return [i, name]; }));
  $('thread').replaceChildren(...options.map(function (one) {
    const option = element('option', '', one[1]);
    option.value = String(one[0]);
    return option;
  }));
  $('thread').addEventListener('change', function () { chooseThread(Number($('thread').value)); });
  band.addEventListener('pointerdown', function (event) {
    if (!data.timed || event.button) return;
    strips.from = strips.to = partAt(event);
    band.setPointerCapture(event.pointerId);
  });
  band.addEventListener('pointermove', function (event) {
    tellStrip(event);
    if (strips.from < 0) return;
    strips.to = partAt(event);
    drawStrip();
  });
  band.addEventListener('pointerup', function (event) {
    const from = Math.min(strips.from, strips.to), to = Math.max(strips.from, strips.to), row = rowAt(event);
    const dragged = data.timed && (to - from) * stripSize().span > 4;
    strips.from = strips.to = -1;
    if (dragged) chooseTimes(from * strips.end / 1e6, to * strips.end / 1e6);
    else if (row) chooseThread(state.thread === row.thread ? -1 : row.thread);
    else drawStrip();
  });
  band.addEventListener('pointercancel', function () { strips.from = strips.to = -1; });
  band.addEventListener('pointerleave', hideTip);
  band.addEventListener('dblclick', function () {
    state.thread = -1;
    $('thread').value = '-1';
    chooseTimes(0, Infinity);
  });
}
