
// --- the list: functions, objects, files

const SHOWN = 100, LEADS_TO_ALL = 0.98, NOTABLE = 0.005;
const sort = { by: 'total', down: true };

// Sums by key, for all nodes: own values, and those with callees, where a key that is on a stack twice counts once.
function sumsOf(keyOf, keys) {
  const self = new Float64Array(keys), total = new Float64Array(keys), old = new Float64Array(keys);
  const times = new Uint32Array(keys), open = [];
  for (let i = 1; i < whole.size; i++) {
    while (open.length >= whole.depth[i]) times[open.pop()]--;
    const key = keyOf[whole.frame[i]];
    if (!times[key]) {
      total[key] += whole.total[i];
      if (hasBefore) old[key] += whole.oldTotal[i];
    }
    self[key] += whole.self[i];
    times[key]++;
    open.push(key);
  }
  return { self: self, total: total, old: old };
}

const everyFrame = Uint32Array.from({ length: frameCount }, function (_, i) { return i; });
let kept = { stamp: -1, sums: null };
function frameSums() {
  if (kept.stamp !== stamp) kept = { stamp: stamp, sums: sumsOf(everyFrame, frameCount) };
  return kept.sums;
}

function totalsBy(by) {
  const names = by === 'function' ? data.names : by === 'object' ? data.objects : data.files;
  const sums = by === 'function' ? frameSums() : sumsOf(by === 'object' ? data.object : data.file, names.length);
  const all = whole.total[0] || 1, oldAll = hasBefore ? whole.oldTotal[0] || 1 : 1, out = [];
  names.forEach(function (name, key) {
    if (!(sums.total[key] > 0 || sums.old[key] > 0)) return;
    const points = hasBefore ? 100 * (sums.total[key] / all - sums.old[key] / oldAll) : 0;
    out.push({ key: key, name: name || '(not known)', self: sums.self[key], total: sums.total[key], points: points });
  });
  return out;
}

// Leaves out frames that tell little unless a filter asks for them: those that only lead on, or into the kernel,
// files that stand for functions without a name, and in waits the kernel's functions, because the waiting code matters.
function isAsked(entry, all) {
  const frame = entry.key, works = !data.waits && entry.self > NOTABLE * all;
  if (state.owner && !isOfOwner(frame, state.owner)) return false;
  if (state.pattern) return state.pattern.test(entry.name);
  if (state.owner || hasBefore) return true;
  if (data.waits && owners[frame] === KERNEL) return false;
  if (state.cards.some(function (card) { return card.named && whole.frame[card.named] === frame; })) return true;
  if (onlyStarts(frame) || onlyEnters(frame) || isUnnamed(frame)) return works;
  return entry.total < LEADS_TO_ALL * all || works;
}

function share(row, value, all, className) {
  const made = element('td', className + (value ? '' : ' none'), value ? percentText(all ? value / all : 0) : '0');
  made.title = valueText(value);
  made.style.backgroundSize = 100 * (all ? value / all : 0) + '% 100%';
  row.append(made);
}

function listRow(entry, by, all) {
  const row = element('tr');
  if (!data.waits) share(row, entry.self, all, 'number');
  share(row, entry.total, all, 'number');
  if (hasBefore) row.append(element('td', 'number plain', pointsText(entry.points)));
  const name = element('td', 'name', by === 'function' ? undefined : entry.name);
  row.append(name);
  if (by !== 'function') return row;
  const frame = entry.key, made = button('', data.names[frame] + '\n' + (placeOf(frame) || objectOf(frame)), function () { openSandwich(frame); });
  made.append(swatch(OWNER_WORDS[owners[frame]] + (isUnnamed(frame) ? ' unnamed' : '')), shortName(frame));
  name.append(made);
  row.addEventListener('mouseenter', function () { hover(state.tree, firstOf(frame)); });
  row.addEventListener('mouseleave', function () { hover(null, -1); });
  return row;
}

// A box of this function, or -1.
function firstOf(frame) { return state.tree.frame.indexOf(frame, 1); }

function fillList() {
  if ($('side').hidden) return;
  const by = $('group').value, way = sort.down ? -1 : 1, all = whole.total[0];
  const entries = totalsBy(by).filter(function (entry) {
    return by === 'function' ? isAsked(entry, all) : !state.pattern || state.pattern.test(entry.name);
  });
  entries.sort(function (a, b) {
    if (sort.by === 'name') return way * (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
    return way * (a[sort.by] - b[sort.by]) || b.self - a.self || b.total - a.total || a.key - b.key;
  });
  $('body').replaceChildren(...entries.slice(0, SHOWN).map(function (entry) { return listRow(entry, by, all); }));
  $('rows').textContent = entries.length > SHOWN ? 'The first ' + SHOWN + ' of ' + countText(entries.length) + '; search finds the rest.'
    : entries.length ? '' : state.pattern ? 'No function has this in its name.' : 'Nothing.';
  document.querySelectorAll('#list th').forEach(function (head) {
    const is = head.querySelector('button').dataset.sort === sort.by;
    head.setAttribute('aria-sort', is ? (sort.down ? 'descending' : 'ascending') : 'none');
  });
}
