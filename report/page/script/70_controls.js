
// --- buttons, keys, the mouse

function toggle(name, change) {
  const button = $(name);
  const act = function () {
    const on = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', String(on));
    change(on);
  };
  button.addEventListener('click', act);
  return act;
}

const acts = {
  i: toggle('icicle', function (on) {
    state.icicle = on;
    rebuild();
  }),
  v: toggle('inverted', function (on) {
    state.inverted = on;
    state.sandwich = -1;
    rebuild();
  }),
  r: toggle('recursion', function (on) {
    state.recursion = on;
    rebuild();
  }),
  g: toggle('vanished', function (on) {
    if (!hasBefore) return;
    state.before = on;
    rebuild();
  }),
  w: toggle('busy', function (on) {
    state.busy = on && idleNodes !== null;
    refilter();
  }),
  t: toggle('functions', function (on) {
    $('table').hidden = !on;
    fillTable();
  }),
  k: toggle('dark', function (on) {
    document.documentElement.classList.toggle('dark', on);
    readColors();
    drawHeat();
    redraw();
  }),
  n: function () { stepMatch(1); },
  N: function () { stepMatch(-1); },
  '?': function () {
    const hidden = !$('keys').hidden;
    $('keys').hidden = hidden;
    $('help').setAttribute('aria-expanded', String(!hidden));
  },
  '/': function () {
    $('query').focus();
    $('query').select();
  },
  s: function () {
    if (state.selected > 0 || (state.selectedIn && state.selectedIn.depth[state.selected] > 0)) {
      openSandwich(state.selectedIn.frame[state.selected]);
    }
  },
  Escape: function () {
    if (state.sandwich >= 0) {
      state.sandwich = -1;
      rebuild();
    } else if (state.zoom) {
      zoomTo(0);
    } else {
      $('query').value = '';
      search('');
      fillTable();
    }
  }
};

function choose(box) {
  if (state.sandwich >= 0) {
    if (box.tree.depth[box.node] > 0) openSandwich(box.tree.frame[box.node]);
    return;
  }
  select(box.tree, box.node);
  zoomTo(box.node);
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
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (typing && event.key !== 'Escape') {
    if (event.target === $('query') && event.key === 'Enter') stepMatch(event.shiftKey ? -1 : 1);
    return;
  }
  if (!Object.prototype.hasOwnProperty.call(acts, event.key)) return;
  if (typing) graph.focus();
  acts[event.key]();
  event.preventDefault();
}

function onMove(event) {
  const place = graph.getBoundingClientRect(), tip = $('tip');
  const box = boxAt(event.clientX - place.left, event.clientY - place.top);
  tip.hidden = !box;
  graph.style.cursor = box ? 'pointer' : 'default';
  if (!box) return;
  tip.textContent = describe(box.tree, box.node) + details(box.tree, box.node);
  const left = Math.min(event.clientX + 12, window.innerWidth - tip.offsetWidth - 8);
  const below = event.clientY + 16 + tip.offsetHeight < window.innerHeight;
  tip.style.left = Math.max(left, 4) + 'px';
  tip.style.top = (below ? event.clientY + 16 : event.clientY - tip.offsetHeight - 8) + 'px';
}

// On paper everything is light and has its whole height, as far as a canvas can be.
const paper = { dark: false };
function beforePrint() {
  paper.dark = document.documentElement.classList.contains('dark');
  document.documentElement.classList.remove('dark');
  for (const folded of document.querySelectorAll('#quality details')) folded.open = true;
  readColors();
  state.room = 8000;
  resize();
  scroll.scrollTop = 0;
  draw();
}

function afterPrint() {
  document.documentElement.classList.toggle('dark', paper.dark);
  readColors();
  state.room = 0;
  resize();
}

function start() {
  $('main').hidden = false;
  if (window.matchMedia('(prefers-color-scheme: dark)').matches) {
    document.documentElement.classList.add('dark');
    $('dark').setAttribute('aria-pressed', 'true');
  }
  readColors();
  $('vanished').hidden = !hasBefore;
  $('busy').hidden = idleNodes === null;
  $('points-head').hidden = !hasBefore;
  if (data.threads.length > 1) {
    const all = document.createElement('option');
    all.value = '-1';
    all.textContent = 'all ' + data.threads.length;
    $('thread').appendChild(all);
    data.threads.forEach(function (name, i) {
      const one = document.createElement('option');
      one.value = String(i);
      one.textContent = name;
      $('thread').appendChild(one);
    });
    $('threads').hidden = false;
  }
  $('thread').addEventListener('change', function () {
    state.thread = Number($('thread').value);
    refilter();
  });
  let typing = 0;
  $('query').addEventListener('input', function () {
    clearTimeout(typing);
    typing = setTimeout(function () {
      search($('query').value);
      fillTable();
    }, 120);
  });
  $('next').addEventListener('click', acts.n);
  $('previous').addEventListener('click', acts.N);
  $('help').addEventListener('click', acts['?']);
  $('reset').addEventListener('click', function () {
    state.sandwich = -1;
    rebuild();
  });
  $('group').addEventListener('change', fillTable);
  document.querySelectorAll('#table th button').forEach(function (button) {
    button.addEventListener('click', function () {
      sort.down = sort.by === button.dataset.sort ? !sort.down : button.dataset.sort !== 'name';
      sort.by = button.dataset.sort;
      fillTable();
    });
  });
  graph.addEventListener('click', function (event) {
    const place = graph.getBoundingClientRect(), box = boxAt(event.clientX - place.left, event.clientY - place.top);
    if (box) choose(box);
  });
  graph.addEventListener('mousemove', onMove);
  graph.addEventListener('mouseleave', function () { $('tip').hidden = true; });
  graph.addEventListener('keydown', onGraphKey);
  document.addEventListener('keydown', onKey);
  scroll.addEventListener('scroll', redraw);
  window.addEventListener('resize', function () {
    resize();
    drawHeat();
  });
  window.addEventListener('beforeprint', beforePrint);
  window.addEventListener('afterprint', afterPrint);
  startTimes();
  refilter();
  drawHeat();
  draw();
}

start();
window.stapReport = { state: state, whole: whole, data: data, draw: draw, search: search, zoomTo: zoomTo, totalsBy: totalsBy };
})();
