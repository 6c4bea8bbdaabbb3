
// --- what is shown: filters, shapes, search

// Everything below this part of what is visible is folded into its neighbours.
const LEAST = 1 / 20000;

function countThin() {
  const tree = state.tree, seen = range(tree), least = seen.width * LEAST, end = seen.x + seen.width;
  let thin = 0;
  for (let i = 1; i < tree.size; i++) {
    const width = tree.width[i];
    if (width > 0 && width < least && tree.depth[i] > seen.depth && tree.x[i] >= seen.x && tree.x[i] < end) thin++;
  }
  return thin;
}

function vanishedShare() {
  let gone = 0;
  for (let i = 1; i < whole.size; i++) {
    if (!whole.total[i] && whole.total[whole.parent[i]]) gone += whole.oldTotal[i];
  }
  return gone / (whole.oldTotal[0] || 1);
}

function shapeText() {
  if (state.sandwich >= 0) return 'Callers (above) and callees (below) of ' + shortName(state.sandwich) + '. Escape leads back.';
  if (state.callersOf >= 0) return 'Below each box is who called it: the callers of ' + shortName(state.callersOf) + '. Escape leads back.';
  const kind = data.kind + (state.before ? ' before' : hasBefore ? ' now' : '');
  const next = state.inverted ? 'who called it' : 'what it calls';
  return 'Width: ' + kind + '. Widest first; ' + (state.turned ? 'above' : 'below') + ' each box is ' + next + '.';
}

function showStatus() {
  const parts = [shapeText()], thin = countThin();
  if (hasBefore && !state.inverted && state.sandwich < 0 && state.callersOf < 0) {
    const gone = vanishedShare();
    if (gone) parts.push('Gone: ' + percentText(gone) + ' of what was before.');
  }
  if (thin) parts.push(countText(thin) + ' boxes below 1/20,000 of the width are too thin to see: zoom in.');
  $('status').textContent = parts.join(' ');
  showPath();
}

// The way from the root to what is zoomed.
function showPath() {
  const tree = state.tree, path = [];
  for (let node = state.zoom; ; node = tree.parent[node]) {
    path.unshift(node);
    if (!node) break;
  }
  $('path').hidden = path.length < 2;
  $('status').classList.toggle('aside', path.length > 1);
  if (path.length < 2) return;
  const steps = path.length > 6 ? [path[0], -1].concat(path.slice(-4)) : path;
  $('path').replaceChildren(...steps.map(function (node, i) {
    if (node < 0) return element('span', '', '\u203a \u2026');
    const step = button((i ? '\u203a ' : '') + cut(boxName(tree, node), 220), '', function () { zoomTo(node); });
    if (i === steps.length - 1) step.setAttribute('aria-current', 'true');
    return step;
  }));
}

function changeText(tree, node) {
  const change = difference(tree, node);
  return pointsText(change.points) + ({ noise: ' (within chance)', new: ' (new)', gone: ' (gone)' }[change.kind] || '');
}

// A box in a line, for those who listen.
function describe(tree, node) {
  const all = everything(), value = tree.width[node];
  let text = fullName(tree, node);
  if (node) {
    const frame = tailFrame(tree, node);
    if (objectOf(frame) && !isUnnamed(frame)) text += ' [' + objectOf(frame) + ']';
    if (isInlined(frame)) text += ' (inlined)';
  }
  text += ', ' + valueText(value) + ', ' + percentText(all ? value / all : 0);
  if (!state.before && tree.self[node]) text += ', itself ' + percentText(all ? tree.self[node] / all : 0);
  if (hasBefore && node) text += ', ' + changeText(tree, node);
  return text;
}

// The node of the whole tree that a box of the picture began with; -1: there is none.
function wholeNode(tree, node) {
  if (tree === whole || !node) return node;
  return tree.end ? tree.end.indexOf(node) : -1;
}

// After what is filtered or the shape has changed.
function rebuild() {
  const kept = state.tree && state.plain && state.zoom ? wholeNode(state.tree, state.zoom) : -1;
  let tree = state.recursion ? collapsed(whole) : whole;
  state.callers = null;
  if (state.sandwich >= 0) {
    const both = around(tree, state.sandwich);
    state.callers = both.callers;
    layOut(state.callers, state.before);
    tree = both.callees;
  } else if (state.callersOf >= 0) {
    tree = around(tree, state.callersOf).callers;
  } else if (state.inverted) {
    tree = inverted(tree);
  }
  if (state.folded && state.sandwich < 0) tree = folded(tree);
  layOut(tree, state.before);
  state.tree = tree;
  state.plain = state.sandwich < 0 && state.callersOf < 0 && !state.inverted;
  state.zoom = kept > 0 && state.plain ? endOf(tree, kept) : 0;
  if (!(tree.width[state.zoom] > 0)) state.zoom = 0;
  state.view = null;
  state.selected = state.hover = -1;
  state.selectedIn = state.hoverIn = null;
  findMatches();
  resize();
  scroll.scrollTop = state.callers ? Math.max((state.callers.rows.length - 2) * ROW - state.height / 2, 0)
    : state.turned ? scroll.scrollHeight : 0;
  showCard();
  showEmpty();
  showStatus();
  fillList();
  remember();
  redraw();
}

function refilter() {
  stamp++;
  fill({ thread: state.thread, few: threadRows.shown, from: state.from, to: state.to, busy: state.busy, gone: goneNodes() });
  showCards();
  showLegend();
  showChips();
  rebuild();
}

// --- what is removed by hand

function goneNodes() {
  if (!state.removed.length) return null;
  const gone = new Uint8Array(whole.size);
  state.removed.forEach(function (one) {
    one.ranges.forEach(function (range) { gone.fill(1, range[0], range[1]); });
  });
  return gone;
}

// Everything below the box. It is kept as ranges of nodes of the whole tree whose own samples go.
function removeBox(tree, node) {
  if (!node || state.sandwich >= 0 || state.callersOf >= 0) return;
  const inside = new Uint8Array(tree.size), ranges = [];
  for (let i = node; i < tree.size; i++) inside[i] = i === node || inside[tree.parent[i]] ? 1 : 0;
  for (let i = 1, last = null; i < whole.size; i++) {
    if (!inside[endOf(tree, i)]) last = null;
    else if (last) last[1] = i + 1;
    else ranges.push(last = [i, i + 1]);
  }
  state.removed.push({ frame: tree.frame[node], ranges: ranges });
  refilter();
}

function chip(text, off) {
  const made = button(text + ' ', 'Take this off', off);
  made.append(element('span', '', '\u00d7'));
  return made;
}

// The active filters of the picture, each with the function that removes it.
function filters() {
  const out = state.removed.map(function (one) {
    return { text: 'without ' + shortName(one.frame), off: function () {
      state.removed.splice(state.removed.indexOf(one), 1);
      refilter();
    } };
  });
  if (state.from > 0 || state.to < Infinity) out.push({ text: rangeText(), off: function () { chooseTimes(0, Infinity); } });
  if (state.thread !== -1) out.push({ text: threadText(state.thread), off: function () { chooseThread(-1); } });
  if (state.busy) out.push({ text: 'without idle', off: acts.w });
  return out;
}

function showChips() {
  const shown = filters();
  $('chips').hidden = !shown.length;
  $('chips').replaceChildren(...shown.map(function (one) { return chip(one.text, one.off); }));
}

function showEmpty() {
  const shown = filters(), nothing = !(state.tree.width[0] > 0), empty = $('empty');
  empty.hidden = !nothing;
  scroll.hidden = nothing;
  if (!nothing) return;
  empty.textContent = shown.length ? 'No samples are left: ' + shown.map(function (one) { return one.text; }).join(', ') + '. ' : 'Nothing is of this kind. ';
  if (shown.length) empty.append(button(shown.length > 1 ? 'Take these off' : 'Take this off', '', takeAllOff));
}

function takeAllOff() {
  Object.assign(state, { removed: [], from: 0, to: Infinity, thread: -1 });
  toggles.w.set(false);
  showRange();
  refilter();
}

// --- search

// A box in a box that was found counts once: the share is that of all stacks with a match in them.
function findMatches() {
  const found = $('found');
  Object.assign(state, { matches: null, marks: null, matched: [], match: -1, share: 0 });
  found.textContent = '';
  $('next').hidden = $('previous').hidden = true;
  if (!state.pattern) return;
  const matches = new Uint8Array(frameCount), tree = state.tree;
  for (let frame = 0; frame < frameCount; frame++) matches[frame] = state.pattern.test(data.names[frame]) ? 1 : 0;
  state.matches = matches;
  if (tree.from) {
    state.marks = new Uint8Array(tree.size);
    for (let i = 1; i < tree.from.size; i++) if (matches[tree.from.frame[i]]) state.marks[tree.place[i]] = 1;
  }
  // The picture counts all its boxes, in the order of a walk. The sum counts stacks, in every shape of the picture.
  for (let i = 1; i < tree.size; i++) {
    if (tree.width[i] > 0 && (state.marks ? state.marks[i] : matches[tree.frame[i]])) state.matched.push(i);
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
  $('next').hidden = $('previous').hidden = !state.matched.length;
  found.textContent = state.matched.length ? percentText(state.share) + ', ' + counted(state.matched.length, 'boxes').replace('1 boxe', '1 box')
    : matches.indexOf(1) < 0 ? 'no function has this in its name' : 'nothing of it is in this view';
}

// Escape sequences, such as \S, \p{L}, \cA, \x41 and \k<Name>.
const ESCAPES = /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-f]{4}|x[0-9a-f]{2}|c[a-z]|k<[^>]*>|.)/giu;
// Parts without literals: escape sequences, and names of groups outside classes.
const NO_LITERALS = new RegExp('\\[(?:\\\\.|[^\\]\\\\])*\\]|' + ESCAPES.source + '|\\(\\?<(?![=!])[^>]*>', 'giu');

function hasCapital(text) { return /\p{Lu}/u.test(text); }

function literalsOf(expression) {
  return expression.replace(NO_LITERALS, function (part) { return part[0] === '[' ? part.replace(ESCAPES, '') : ''; });
}

// Small letters find large ones, too, until a large one is searched. A text that is no expression is searched as it is.
function setPattern(text) {
  state.pattern = null;
  if (!text) return;
  try {
    state.pattern = new RegExp(text, hasCapital(literalsOf(text)) ? 'u' : 'iu');
  } catch (error) {
    state.pattern = new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), hasCapital(text) ? 'u' : 'iu');
  }
}

function search(text) {
  setPattern(text);
  findMatches();
  remember();
  redraw();
}

function stepMatch(by) {
  const count = state.matched.length;
  if (!count) return;
  state.match = state.match < 0 ? (by > 0 ? 0 : count - 1) : (state.match + by + count) % count;
  const node = state.matched[state.match];
  if (!visible(node)) zoomTo(0);
  select(state.tree, node);
  $('found').textContent = percentText(state.share) + ', ' + (state.match + 1) + ' of ' + count;
}

// --- zoom and choice

// Whether the node can be seen at this zoom, however narrow.
function visible(node) {
  const tree = state.tree, seen = range(tree);
  if (tree.depth[node] <= seen.depth) return ancestorAt(tree, seen.zoom, tree.depth[node]) === node;
  return ancestorAt(tree, node, seen.depth) === seen.zoom && tree.x[node] < seen.x + seen.width && tree.x[node] + tree.width[node] > seen.x;
}

function zoomTo(node) {
  state.zoom = node;
  state.view = null;
  showStatus();
  remember();
  redraw();
}

// Shows a part of the tree. It zooms to the innermost box that holds all of it.
function look(x, width) {
  const tree = state.tree, all = tree.width[0];
  width = Math.min(Math.max(width, all / 1e9), all);
  x = Math.min(Math.max(x, 0), all - width);
  let zoom = state.zoom;
  while (zoom && (x < tree.x[zoom] || x + width > tree.x[zoom] + tree.width[zoom] * (1 + 1e-12))) zoom = tree.parent[zoom];
  const moved = zoom !== state.zoom;
  state.zoom = zoom;
  state.view = { x: x, width: width };
  if (moved) showStatus();
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
  if (y + AXIS + ROW > scroll.scrollTop + state.height) scroll.scrollTop = y + AXIS + ROW - state.height;
  $('selected').textContent = describe(tree, node);
  showCard();
  redraw();
}

function unselect() {
  state.selected = -1;
  state.selectedIn = null;
  showCard();
  redraw();
}

// To a node of the whole tree.
function goTo(node) {
  if (!state.plain) {
    state.sandwich = state.callersOf = -1;
    if (state.inverted) setDirection(false);
    rebuild();
  }
  const at = endOf(state.tree, node);
  zoomTo(at);
  select(state.tree, at);
}

// The box at a point of the canvas, or null.
function boxAt(x, y) {
  if (y < AXIS) return null;
  const at = Math.floor((y - AXIS + scroll.scrollTop) / ROW);
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
    const from = tree.firstKid[node], kid = tree.kids[from];
    if (from === tree.firstKid[node + 1]) return null;
    let best = kid;
    if (state.before) children(tree, node).forEach(function (other) { if (tree.width[other] > tree.width[best]) best = other; });
    return tree.width[best] > 0 ? best : null;
  }
  const row = tree.rows[tree.depth[node]], at = firstBeyond(tree, row, tree.x[node]) + (key === 'ArrowRight' ? 1 : -1);
  const next = row[at];
  return next === undefined || (tree === state.tree && !visible(next)) ? null : next;
}
