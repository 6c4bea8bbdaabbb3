
// --- buttons and keys

const toggles = {};

// A button that is pressed or not, with a key of the same effect. `assign` notes it, `show` does what follows.
function toggle(key, name, first, assign, show) {
  const made = $(name);
  const set = function (on) {
    made.setAttribute('aria-pressed', String(on));
    assign(on);
  };
  toggles[key] = { name: name, first: first, is: function () { return made.getAttribute('aria-pressed') === 'true'; }, set: set };
  const act = function () {
    if (made.hidden) return;
    set(!toggles[key].is());
    show();
  };
  made.addEventListener('click', act);
  return act;
}

function setDirection(up) {
  state.inverted = up;
  $('inverted').setAttribute('aria-pressed', String(up));
  $('callees').setAttribute('aria-pressed', String(!up));
}

function chosenFrame() {
  const tree = state.selectedIn;
  return tree && state.selected > 0 && tree.depth[state.selected] > 0 ? tailFrame(tree, state.selected) : -1;
}

const acts = {
  i: toggle('i', 'turn', false, function (on) { state.turned = on; }, rebuild),
  v: toggle('v', 'inverted', false, function (on) {
    setDirection(on);
    state.sandwich = state.callersOf = -1;
  }, rebuild),
  r: toggle('r', 'recursion', false, function (on) { state.recursion = on; }, rebuild),
  f: toggle('f', 'fold', true, function (on) { state.folded = on; }, rebuild),
  g: toggle('g', 'vanished', false, function (on) { state.before = on; }, rebuild),
  w: toggle('w', 'busy', false, function (on) { state.busy = on; }, refilter),
  t: toggle('t', 'functions', true, function (on) {
    $('side').hidden = !on;
    document.body.classList.toggle('wide', !on);
  }, function () {
    resize();
    fillList();
    remember();
  }),
  h: toggle('h', 'heat-map', false, function (on) { $('times').hidden = !on; }, showStrips),
  y: toggle('y', 'threads', false, function (on) {
    threadRows.open = on;
    $('choice').hidden = !on;
  }, showStrips),
  k: toggle('k', 'dark', false, function (on) { document.documentElement.classList.toggle('dark', on); }, function () {
    if (state.tree) paintAll();
  }),
  n: function () { stepMatch(1); },
  N: function () { stepMatch(-1); },
  '?': function () {
    if ($('keys').open) $('keys').close();
    else $('keys').showModal();
  },
  '/': function () {
    $('query').focus();
    $('query').select();
  },
  s: function () { if (chosenFrame() >= 0) openSandwich(chosenFrame()); },
  c: function () { if (chosenFrame() >= 0) showCallers(chosenFrame()); },
  x: function () { if (state.selected > 0 && state.selectedIn === state.tree) removeBox(state.tree, state.selected); },
  u: function () {
    if (!state.removed.length) return;
    state.removed.pop();
    refilter();
  },
  Escape: function () {
    if ($('trust').open) {
      $('trust').open = false;
    } else if (state.sandwich >= 0 || state.callersOf >= 0) {
      state.sandwich = state.callersOf = -1;
      rebuild();
    } else if (state.zoom || state.view) {
      zoomTo(0);
    } else if (state.owner) {
      chooseOwner('');
    } else if ($('query').value) {
      $('query').value = '';
      search('');
      fillList();
    } else {
      unselect();
    }
  }
};

function showStrips() {
  drawStrip();
  drawHeat();
  resize();
  remember();
}

function paintAll() {
  readColors();
  drawStrip();
  drawHeat();
  redraw();
}

function choose(box) {
  if (state.sandwich >= 0) {
    if (box.tree.depth[box.node] > 0) openSandwich(tailFrame(box.tree, box.node));
    return;
  }
  zoomTo(box.node);
  select(box.tree, box.node);
}

function onGraphKey(event) {
  if (event.key.startsWith('Arrow')) {
    const tree = state.selectedIn || state.tree;
    if (state.selected < 0) {
      select(state.tree, state.callers && state.tree.size > 1 ? 1 : state.zoom);
    } else {
      let next = neighbour(tree, state.selected, event.key);
      // From the function in the middle of a sandwich to its callers.
      if (next === null && state.callers && tree === state.tree && event.key === 'ArrowUp' && state.callers.size > 2) {
        next = state.callers.rows[2] ? state.callers.rows[2][0] : null;
        if (next !== null) select(state.callers, next);
      } else if (next !== null) {
        select(tree, next);
      } else if (state.callers && tree === state.callers && event.key === 'ArrowDown') {
        select(state.tree, 1);
      }
    }
  } else if (event.key === 'Enter' && state.selected >= 0) {
    choose({ tree: state.selectedIn, node: state.selected });
  } else {
    return;
  }
  event.preventDefault();
}

function onKey(event) {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.ctrlKey || event.altKey || event.metaKey || $('keys').open) return;
  hideTip();
  if (typing && event.key !== 'Escape') {
    if (event.target === $('query') && event.key === 'Enter') stepMatch(event.shiftKey ? -1 : 1);
    return;
  }
  if (!Object.prototype.hasOwnProperty.call(acts, event.key)) return;
  if (typing) graph.focus();
  acts[event.key]();
  event.preventDefault();
}

function startControls() {
  let typing = 0;
  $('query').addEventListener('input', function () {
    clearTimeout(typing);
    typing = setTimeout(function () {
      search($('query').value);
      fillList();
    }, 120);
  });
  $('next').addEventListener('click', acts.n);
  $('previous').addEventListener('click', acts.N);
  $('help').addEventListener('click', acts['?']);
  $('callees').addEventListener('click', function () {
    toggles.v.set(false);
    rebuild();
  });
  $('more').addEventListener('click', function () {
    const open = $('rest').hidden;
    $('rest').hidden = !open;
    $('more').setAttribute('aria-expanded', String(open));
    resize();
  });
  $('group').addEventListener('change', fillList);
  document.querySelectorAll('#list th button').forEach(function (head) {
    head.addEventListener('click', function () {
      sort.down = sort.by === head.dataset.sort ? !sort.down : head.dataset.sort !== 'name';
      sort.by = head.dataset.sort;
      fillList();
    });
  });
  graph.addEventListener('keydown', onGraphKey);
  document.addEventListener('keydown', onKey);
}
