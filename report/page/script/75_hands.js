
// --- the mouse and fingers on the picture

function hideTip() { $('tip').hidden = true; }

function showTip(lines, event) {
  const tip = $('tip');
  tip.hidden = false;
  tip.replaceChildren(...lines.filter(Boolean).map(function (line, i) { return element(i ? 'small' : 'span', '', line); }));
  const left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
  const below = event.clientY + 18 + tip.offsetHeight < window.innerHeight;
  tip.style.left = Math.max(left, 4) + 'px';
  tip.style.top = (below ? event.clientY + 18 : event.clientY - tip.offsetHeight - 10) + 'px';
}

function hover(tree, node) {
  if (state.hover === node && state.hoverIn === tree) return;
  state.hover = node;
  state.hoverIn = node > 0 ? tree : null;
  redraw();
}

function boxOf(event) {
  const place = graph.getBoundingClientRect();
  return boxAt(event.clientX - place.left, event.clientY - place.top);
}

function tellBox(box, event) {
  const tree = box.tree, node = box.node, frames = framesOf(tree, node), frame = tailFrame(tree, node);
  const all = everything() || 1;
  const numbers = [valueText(tree.width[node]) + ', ' + percentText(tree.width[node] / all)];
  if (!state.before && !data.waits && tree.self[node] && node) numbers.push('itself ' + percentText(tree.self[node] / all));
  if (hasBefore && node) numbers.push(changeText(tree, node));
  showTip([
    !node ? 'all' : frames.length > 1 ? boxName(tree, node) : data.names[frame],
    node ? frames.length > 1 ? frames.length + ' frames in one row' : placeOf(frame) || (isUnnamed(frame) ? '' : objectOf(frame)) : '',
    numbers.join(', ')
  ], event);
}

const hands = { pointers: new Map(), from: null, moved: false, type: 'mouse', pinch: 0 };

function tap(box, event) {
  if (!box) return;
  if (event.shiftKey) {
    if (box.tree === state.tree) removeBox(box.tree, box.node);
  } else if (hands.type === 'touch' && !(state.selected === box.node && state.selectedIn === box.tree)) {
    select(box.tree, box.node);
  } else {
    choose(box);
  }
}

// Zooms so that what is at the pointer stays there.
function zoomAbout(clientX, factor) {
  if (state.callers) return;
  const seen = range(state.tree), part = (clientX - graph.getBoundingClientRect().left) / (state.width || 1);
  const width = Math.min(seen.width * factor, state.tree.width[0]);
  look(seen.x + (seen.width - width) * part, width);
}

function spread() {
  const [a, b] = Array.from(hands.pointers.values());
  return { distance: Math.max(Math.abs(a.x - b.x), 20), middle: (a.x + b.x) / 2 };
}

function onDown(event) {
  if (event.button) return;
  hands.type = event.pointerType;
  hands.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  hands.from = { x: event.clientX, y: event.clientY, seen: range(state.tree) };
  if (hands.pointers.size === 1) hands.moved = false;
  if (hands.pointers.size === 2) {
    hands.pinch = spread().distance;
    hands.moved = true;
  }
}

function onMove(event) {
  const down = hands.pointers.get(event.pointerId);
  if (down) {
    down.x = event.clientX;
    down.y = event.clientY;
  }
  if (hands.pointers.size === 2) {
    const now = spread();
    zoomAbout(now.middle, hands.pinch / now.distance);
    hands.pinch = now.distance;
    return;
  }
  if (down && hands.from) {
    const by = event.clientX - hands.from.x, seen = hands.from.seen;
    if (Math.abs(by) > 4 && !hands.moved) {
      hands.moved = true;
      graph.setPointerCapture(event.pointerId);
    }
    if (hands.moved) {
      hideTip();
      if (!state.callers && seen.width < state.tree.width[0]) look(seen.x - by * seen.width / (state.width || 1), seen.width);
    }
    return;
  }
  if (event.pointerType === 'touch') return;
  const box = boxOf(event);
  graph.style.cursor = box ? 'pointer' : 'default';
  hover(box ? box.tree : null, box ? box.node : -1);
  if (box) tellBox(box, event);
  else hideTip();
}

function onUp(event) {
  const was = hands.pointers.delete(event.pointerId);
  if (!was) return;
  if (hands.pointers.size === 1) {
    // The finger that stays drags on from here.
    const [left] = hands.pointers.values();
    hands.from = { x: left.x, y: left.y, seen: range(state.tree) };
    return;
  }
  hands.from = null;
  if (hands.moved || event.type !== 'pointerup') return remember();
  graph.focus({ preventScroll: true });
  hideTip();
  tap(boxOf(event), event);
}

function startHands() {
  graph.addEventListener('pointerdown', onDown);
  graph.addEventListener('pointermove', onMove);
  graph.addEventListener('pointerup', onUp);
  graph.addEventListener('pointercancel', onUp);
  graph.addEventListener('pointerleave', function () {
    hideTip();
    hover(null, -1);
  });
  // Without Ctrl the wheel scrolls, as everywhere.
  graph.addEventListener('wheel', function (event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoomAbout(event.clientX, Math.exp(Math.max(-1, Math.min(1, event.deltaY / 200))));
    remember();
  }, { passive: false });
  scroll.addEventListener('scroll', redraw);
}
