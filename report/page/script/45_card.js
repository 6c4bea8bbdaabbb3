
// --- the card of the chosen box, and the legend

// Names from the outermost on, each in a line.
function stackText(tree, node) {
  const lines = [];
  for (let at = node; at; at = tree.parent[at]) lines.unshift(...framesOf(tree, at).map(function (frame) { return data.names[frame]; }));
  return (state.plain ? lines : lines.reverse()).join('\n');
}

// Pages of files may not write to the clipboard everywhere.
function copy(text, from) {
  const done = function () {
    const label = from.textContent;
    from.textContent = 'Copied';
    setTimeout(function () { from.textContent = label; }, 1200);
  };
  const byHand = function () {
    const area = element('textarea', 'unseen');
    area.value = text;
    document.body.append(area);
    area.select();
    if (document.execCommand('copy')) done();
    area.remove();
    from.focus();
  };
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, byHand);
  else byHand();
}

function cardFacts(tree, node) {
  const all = everything(), list = element('dl');
  const put = function (key, value) { list.append(element('dt', '', key), element('dd', '', value)); };
  const share = function (value) { return percentText(all ? value / all : 0); };
  if (state.before) put('Before', valueText(tree.oldTotal[node]) + ', ' + share(tree.oldTotal[node]));
  put('Total', longText(tree.total[node], tree.count[node]) + (state.before ? '' : ', ' + share(tree.total[node])));
  if (!data.waits && !state.before) put('Self', tree.self[node] ? valueText(tree.self[node]) + ', ' + share(tree.self[node]) : 'none');
  if (node && tree.parent[node]) {
    put(state.inverted || state.callersOf >= 0 ? 'Of ' + cut(boxName(tree, tree.parent[node]), 120) : 'Of its caller',
      percentText(tree.width[node] / (tree.width[tree.parent[node]] || 1)));
  }
  if (hasBefore && node) {
    if (!state.before) put('Before', valueText(tree.oldTotal[node]) + ', ' + percentText(tree.oldTotal[node] / (whole.oldTotal[0] || 1)));
    put('Change', changeText(tree, node));
  }
  return list;
}

function showCard() {
  const card = $('card'), tree = state.selectedIn, node = state.selected;
  card.hidden = !tree || node < 0;
  document.body.classList.toggle('chosen', !card.hidden);
  if (card.hidden) return card.replaceChildren();
  const frames = node ? framesOf(tree, node) : [], last = frames[frames.length - 1], acts = element('div', 'acts');
  const parts = [element('h2', '', node ? frames.length > 1 ? boxName(tree, node) : data.names[last] : 'all')];
  if (node && frames.length === 1) {
    if (objectOf(last)) parts.push(element('p', '', objectOf(last) + (isInlined(last) ? ', inlined' : '')));
    if (placeOf(last)) parts.push(element('p', '', placeOf(last)));
  }
  parts.push(cardFacts(tree, node));
  if (frames.length > 1) parts.push(runList(frames));
  acts.append(button('Zoom', 'Enter', function () { if (tree === state.tree) zoomTo(node); }));
  if (node) {
    acts.append(button('Callers', 'c', function () { showCallers(tailFrame(tree, node)); }));
    acts.append(button('Both ways', 'Callers and callees (s)', function () { openSandwich(tailFrame(tree, node)); }));
    if (state.sandwich < 0 && state.callersOf < 0) acts.append(button('Remove', 'x', function () { removeBox(tree, node); }));
    const stack = button('Copy stack', '', function () { copy(stackText(tree, node), stack); });
    acts.append(stack);
    if (placeOf(last)) {
      const line = button('Copy line', placeOf(last), function () { copy(placeOf(last), line); });
      acts.append(line);
    }
  }
  acts.append(button('Close', '', unselect));
  card.replaceChildren(...parts, acts);
}

// The frames of a row that stands for several.
function runList(frames) {
  const more = element('details'), list = element('ol');
  more.append(element('summary', '', frames.length + ' frames in one row'), list);
  frames.forEach(function (frame) {
    const where = placeOf(frame) || baseName(objectOf(frame));
    list.append(element('li', '', data.names[frame] + (where && !isUnnamed(frame) ? ' (' + where + ')' : '')));
  });
  return more;
}

function openSandwich(frame) {
  state.callersOf = -1;
  state.sandwich = frame;
  rebuild();
  select(state.tree, 1);
  graph.focus({ preventScroll: true });
}

function showCallers(frame) {
  state.sandwich = -1;
  state.callersOf = frame;
  rebuild();
  select(state.tree, 1);
  graph.focus({ preventScroll: true });
}

// --- whose code it is

function ownerTexts() {
  return { own: data.own, library: 'libraries', kernel: 'kernel', script: 'scripts', fact: 'no code', unnamed: 'without a name' };
}

function swatch(kind) { return element('span', 'swatch ' + kind); }

function showLegend() {
  const legend = $('legend');
  if (hasBefore) {
    legend.replaceChildren(...[['more', 'larger share'], ['less', 'smaller'], ['same', 'within chance'], ['new', 'new'], ['gone', 'gone']].map(function (kind) {
      const item = element('span', 'item');
      item.append(swatch(kind[0]), kind[1]);
      return item;
    }));
    return;
  }
  const sums = { own: 0, library: 0, kernel: 0, script: 0, fact: 0, unnamed: 0 }, all = whole.total[0] || 1;
  frameSums().self.forEach(function (value, frame) {
    sums[OWNER_WORDS[owners[frame]]] += value;
    if (isUnnamed(frame)) sums.unnamed += value;
  });
  // Self shares tell owners of processor time; waits and bytes end in the kernel and the allocator. So the legend
  // also has owners without a share of their own.
  const there = function (kind) {
    return sums[kind] > 0 || (kind !== 'unnamed' && (kind !== 'fact' || data.waits) && data.owner.indexOf(String(OWNER_WORDS.indexOf(kind))) >= 0);
  };
  const texts = ownerTexts();
  legend.replaceChildren(...Object.keys(sums).filter(there).map(function (kind) {
    const made = button('', 'Keep these, dim the rest', function () { chooseOwner(state.owner === kind ? '' : kind); });
    made.append(swatch(kind), texts[kind], data.measure.kind !== 'samples' ? '' : ' ' + percentText(sums[kind] / all));
    made.setAttribute('aria-pressed', String(state.owner === kind));
    made.dataset.owner = kind;
    return made;
  }));
}

function chooseOwner(kind) {
  state.owner = kind;
  showLegend();
  fillList();
  remember();
  redraw();
}
