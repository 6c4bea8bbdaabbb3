
// --- what is shown: filters, shapes, search

// Everything below this part of what is visible is folded into its neighbours.
const LEAST = 1 / 20000;

function countFolded() {
  const tree = state.tree, seen = range(tree), least = seen.width * LEAST, end = seen.x + seen.width;
  let folded = 0;
  for (let i = 1; i < tree.size; i++) {
    const width = tree.width[i];
    if (width > 0 && width < least && tree.depth[i] > seen.depth && tree.x[i] >= seen.x && tree.x[i] < end) folded++;
  }
  return folded;
}

function showStatus() {
  const tree = state.tree, folded = countFolded(), parts = [];
  parts.push(valueText(state.before ? whole.oldTotal[0] : whole.total[0]) + (state.before ? ' before' : ''));
  if (state.sandwich >= 0) parts.push('callers and callees of ' + data.names[state.sandwich]);
  else if (state.zoom) parts.push('zoomed: ' + describe(tree, state.zoom));
  if (folded) parts.push(folded + ' frames below 1/20,000 of what is shown are folded away; zoom in to see them');
  if (hasBefore) {
    parts.push('red: a larger share than before, blue: smaller, violet: new, green: gone, grey: noise');
    if (state.inverted || state.recursion || state.sandwich >= 0) return $('status').textContent = parts.join('; ');
    let gone = 0;
    for (let i = 1; i < whole.size; i++) {
      if (!whole.total[i] && whole.total[whole.parent[i]]) gone += whole.oldTotal[i];
    }
    if (gone) parts.push('vanished: ' + percentText(gone / whole.oldTotal[0]) + ' of what was before');
  }
  $('status').textContent = parts.join('; ');
}

function describe(tree, node) {
  const all = state.before ? tree.oldTotal[0] : tree.total[0];
  const value = state.before ? tree.oldTotal[node] : tree.total[node];
  let text = node ? data.names[tree.frame[node]] : 'all';
  if (node) {
    const frame = tree.frame[node];
    if (objectOf(frame) && !isUnnamed(frame)) text += ' [' + objectOf(frame) + ']';
    if (data.flags[frame] & 8) text += ' (inlined)';
  }
  text += ', ' + valueText(value) + ', ' + percentText(all ? value / all : 0);
  if (!state.before && tree.self[node]) text += ', itself ' + percentText(all ? tree.self[node] / all : 0);
  if (hasBefore && node) {
    const change = difference(tree, node);
    text += ', ' + (change.points >= 0 ? '+' : '\u2212') + Math.abs(change.points).toFixed(2) + ' points' +
      (change.kind === 'noise' ? ' (noise)' : change.kind === 'new' ? ' (new)' : change.kind === 'gone' ? ' (gone)' : '');
  }
  return text;
}

// The file of a frame's source, and its object in full.
function details(tree, node) {
  if (!node) return '';
  const file = fileOf(tree.frame[node]);
  return file ? '\n' + file : '';
}

// After what is filtered or the shape has changed.
function rebuild() {
  let tree = whole;
  state.callers = null;
  if (state.recursion) tree = collapsed(tree);
  if (state.sandwich >= 0) {
    const both = around(tree, state.sandwich);
    state.callers = both.callers;
    layOut(state.callers, state.before);
    tree = both.callees;
  } else if (state.inverted) {
    tree = inverted(tree);
  }
  layOut(tree, state.before);
  state.tree = tree;
  state.zoom = 0;
  state.selected = -1;
  state.selectedIn = null;
  $('selected').textContent = '';
  findMatches();
  resize();
  scroll.scrollTop = state.callers ? Math.max((state.callers.rows.length - 2) * ROW - state.height / 2, 0)
    : state.icicle ? 0 : scroll.scrollHeight;
  showStatus();
  fillTable();
  redraw();
}

function refilter() {
  stamp++;
  fill({ thread: state.thread, from: state.from, to: state.to, busy: state.busy });
  rebuild();
}

// A box in a box that was found counts once: the share is that of all stacks with a match in them.
function findMatches() {
  const found = $('found');
  state.matches = null;
  state.matched = [];
  state.match = -1;
  state.share = 0;
  if (!state.pattern) {
    found.textContent = '';
    return;
  }
  const matches = new Uint8Array(frameCount), tree = state.tree;
  for (let frame = 0; frame < frameCount; frame++) matches[frame] = state.pattern.test(data.names[frame]) ? 1 : 0;
  state.matches = matches;
  // Of the picture: all its boxes, in the order of a walk. Of the sum: stacks, whatever the picture's shape.
  for (let i = 1; i < tree.size; i++) {
    if (matches[tree.frame[i]] && tree.width[i] > 0) state.matched.push(i);
  }
  const inside = new Uint8Array(whole.size), values = state.before ? whole.oldTotal : whole.total;
  let sum = 0;
  for (let i = 1; i < whole.size; i++) {
    inside[i] = inside[whole.parent[i]];
    if (inside[i] || !matches[whole.frame[i]]) continue;
    inside[i] = 1;
    sum += values[i];
  }
  state.share = values[0] ? sum / values[0] : 0;
  found.textContent = state.matched.length + ' boxes, ' + percentText(state.share);
}

function search(text) {
  state.pattern = null;
  if (text) {
    try {
      state.pattern = new RegExp(text, 'u');
    } catch (error) {
      state.pattern = new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'u');
    }
  }
  findMatches();
  redraw();
}

function stepMatch(by) {
  const count = state.matched.length;
  if (!count) return;
  state.match = state.match < 0 ? (by > 0 ? 0 : count - 1) : (state.match + by + count) % count;
  const node = state.matched[state.match];
  if (!visible(node)) zoomTo(0);
  select(state.tree, node);
  $('found').textContent = (state.match + 1) + ' of ' + count + ' boxes, ' + percentText(state.share);
}

// Whether the node can be seen at this zoom, however narrow.
function visible(node) {
  const tree = state.tree, seen = range(tree);
  return tree.depth[node] <= seen.depth ? ancestorAt(tree, seen.zoom, tree.depth[node]) === node
    : ancestorAt(tree, node, seen.depth) === seen.zoom;
}

function zoomTo(node) {
  state.zoom = node;
  showStatus();
  redraw();
}

function rowOf(tree, node) {
  const pane = panes().find(function (one) { return one.tree === tree; });
  return pane.base + pane.step * tree.depth[node];
}

function select(tree, node) {
  state.selected = node;
  state.selectedIn = tree;
  const y = rowOf(tree, node) * ROW;
  if (y < scroll.scrollTop) scroll.scrollTop = y;
  if (y + ROW > scroll.scrollTop + state.height) scroll.scrollTop = y + ROW - state.height;
  $('selected').textContent = describe(tree, node);
  redraw();
}

// The box at a point of the canvas, or null.
function boxAt(x, y) {
  const at = Math.floor((y + scroll.scrollTop) / ROW);
  for (const pane of panes()) {
    const depth = (at - pane.base) / pane.step, tree = pane.tree;
    if (depth < pane.least || depth >= tree.rows.length) continue;
    const seen = range(tree);
    if (depth < seen.depth) return { tree: tree, node: ancestorAt(tree, seen.zoom, depth) };
    const value = seen.x + x * seen.width / state.width, row = tree.rows[depth], i = firstBeyond(tree, row, value);
    if (i < row.length && tree.x[row[i]] <= value && value < seen.x + seen.width) return { tree: tree, node: row[i] };
  }
  return null;
}

// The box beside, above or below; null where there is none.
function neighbour(tree, node, key) {
  const pane = panes().find(function (one) { return one.tree === tree; });
  const inwards = (key === 'ArrowDown') === (pane.step < 0);
  if (key === 'ArrowUp' || key === 'ArrowDown') {
    if (inwards) return tree.depth[node] > pane.least ? tree.parent[node] : null;
    const below = tree.rows[tree.depth[node] + 1];
    if (!below) return null;
    let best = -1;
    for (let i = firstBeyond(tree, below, tree.x[node]); i < below.length && tree.parent[below[i]] === node; i++) {
      if (best < 0 || tree.width[below[i]] > tree.width[best]) best = below[i];
    }
    return best < 0 ? null : best;
  }
  const row = tree.rows[tree.depth[node]], at = firstBeyond(tree, row, tree.x[node]) + (key === 'ArrowRight' ? 1 : -1);
  const next = row[at];
  return next === undefined || (tree === state.tree && !visible(next)) ? null : next;
}
