
// --- the table: functions, objects, files

const SHOWN = 500;
const sort = { by: 'self', down: true };

function groupName(frame, by) {
  if (by === 'function') return frame;
  return by === 'object' ? data.object[frame] : data.file[frame];
}

// What each function, object or file has itself, and with what it calls. What is on a stack twice counts once.
function totalsBy(by) {
  const self = new Map(), total = new Map(), old = new Map(), open = [], times = new Map();
  const add = function (map, key, value) { map.set(key, (map.get(key) || 0) + value); };
  for (let i = 1; i < whole.size; i++) {
    const depth = whole.depth[i];
    while (open.length >= depth) {
      const key = open.pop();
      times.set(key, times.get(key) - 1);
    }
    const key = groupName(whole.frame[i], by);
    if (!times.get(key)) {
      if (whole.total[i]) add(total, key, whole.total[i]);
      if (hasBefore && whole.oldTotal[i]) add(old, key, whole.oldTotal[i]);
    }
    if (whole.self[i]) add(self, key, whole.self[i]);
    times.set(key, (times.get(key) || 0) + 1);
    open.push(key);
  }
  const all = whole.total[0], oldAll = hasBefore ? whole.oldTotal[0] : 0, keys = new Set([...total.keys(), ...old.keys()]);
  return Array.from(keys, function (key) {
    const name = by === 'function' ? data.names[key] : by === 'object' ? data.objects[key] : data.files[key];
    const points = hasBefore ? 100 * ((total.get(key) || 0) / (all || 1) - (old.get(key) || 0) / (oldAll || 1)) : 0;
    return { key: key, name: name || '(not known)', self: self.get(key) || 0, total: total.get(key) || 0, points: points };
  });
}

function cell(row, text, className) {
  const made = document.createElement('td');
  made.textContent = text;
  if (className) made.className = className;
  row.appendChild(made);
  return made;
}

function addRow(entry, by, all) {
  const row = document.createElement('tr');
  cell(row, valueText(entry.self) + ' (' + percentText(all ? entry.self / all : 0) + ')');
  cell(row, valueText(entry.total) + ' (' + percentText(all ? entry.total / all : 0) + ')');
  if (hasBefore) cell(row, (entry.points >= 0 ? '+' : '\u2212') + Math.abs(entry.points).toFixed(2));
  const name = cell(row, by === 'function' ? '' : entry.name, 'name');
  if (by === 'function') {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = entry.name;
    button.title = 'Callers and callees';
    button.addEventListener('click', function () { openSandwich(entry.key); });
    name.appendChild(button);
    const object = document.createElement('span');
    object.className = 'object';
    object.textContent = objectOf(entry.key) && !isUnnamed(entry.key) ? ' ' + objectOf(entry.key) : '';
    name.appendChild(object);
  }
  $('body').appendChild(row);
}

function fillTable() {
  if ($('table').hidden) return;
  const by = $('group').value, entries = totalsBy(by), way = sort.down ? -1 : 1;
  entries.sort(function (a, b) {
    if (sort.by === 'name') return way * (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
    return way * (a[sort.by] - b[sort.by]) || b.total - a.total;
  });
  const matching = state.pattern ? entries.filter(function (entry) { return state.pattern.test(entry.name); }) : entries;
  $('body').textContent = '';
  matching.slice(0, SHOWN).forEach(function (entry) { addRow(entry, by, whole.total[0]); });
  $('rows').textContent = matching.length > SHOWN ? SHOWN + ' of ' + matching.length + ' rows; search shows fewer' : matching.length + ' rows';
  document.querySelectorAll('#table th').forEach(function (head) {
    const is = head.querySelector('button').dataset.sort === sort.by;
    head.setAttribute('aria-sort', is ? (sort.down ? 'descending' : 'ascending') : 'none');
  });
}

function openSandwich(frame) {
  state.sandwich = frame;
  rebuild();
  graph.focus();
}
