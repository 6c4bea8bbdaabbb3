
// --- the address holds the view: a link to it shows the same

const address = { ready: false, last: '' };
const MOST_ADDRESS = 2000;

function viewText() {
  const parts = [], put = function (key, value) { parts.push(key + '=' + encodeURIComponent(value)); };
  const pressed = Object.keys(toggles).filter(function (key) { return key !== 'k' && toggles[key].is() !== toggles[key].first; });
  if (state.zoom) put('zoom', state.zoom);
  if ($('query').value) put('q', $('query').value);
  if (pressed.length) put('v', pressed.join(''));
  if (state.thread !== -1) put('thread', state.thread);
  if (state.from > 0 || state.to < Infinity) put('time', state.from + '-' + (state.to < Infinity ? state.to : ''));
  if (state.owner) put('owner', state.owner);
  if (state.sandwich >= 0) put('both', state.sandwich);
  if (state.callersOf >= 0) put('callers', state.callersOf);
  const removed = state.removed.map(function (one) {
    return one.frame + ':' + one.ranges.map(function (range) { return range.join('-'); }).join(',');
  }).join(';');
  if (removed && removed.length < MOST_ADDRESS) put('without', removed);
  return parts.join('&');
}

function remember() {
  if (!address.ready) return;
  const text = viewText();
  if (text === address.last) return;
  address.last = text;
  try {
    history.replaceState(null, '', text ? '#' + text : location.pathname + location.search);
  } catch (error) {
    // Some browsers forbid it for files.
  }
}

// Numbers of an address may be anything.
function numberOf(text, least, end) {
  const value = Number(text);
  return text !== null && text !== '' && Number.isInteger(value) && value >= least && value < end ? value : null;
}

function removedOf(text) {
  return (text || '').split(';').map(function (one) {
    const [frame, list] = one.split(':');
    const ranges = (list || '').split(',').map(function (range) { return range.split('-').map(Number); });
    const good = ranges.every(function (range) { return range.length === 2 && range[0] > 0 && range[1] > range[0] && range[1] <= whole.size; });
    return numberOf(frame, 0, frameCount) !== null && good ? { frame: Number(frame), ranges: ranges } : null;
  }).filter(Boolean);
}

function recall() {
  const view = new URLSearchParams(location.hash.slice(1)), pressed = view.get('v') || '';
  address.ready = false;
  const [from, to] = (view.get('time') || '').split('-');
  setTimes(Number(from), Number(to));
  state.thread = numberOf(view.get('thread'), -2, data.threads.length) ?? -1;
  $('thread').value = String(state.thread);
  state.owner = OWNER_WORDS.concat('unnamed').includes(view.get('owner')) ? view.get('owner') : '';
  state.removed = removedOf(view.get('without'));
  Object.keys(toggles).forEach(function (key) {
    const on = toggles[key].first !== pressed.includes(key);
    if (key !== 'k' && !$(toggles[key].name).hidden) toggles[key].set(on);
  });
  state.sandwich = numberOf(view.get('both'), 0, frameCount) ?? -1;
  state.callersOf = numberOf(view.get('callers'), 0, frameCount) ?? -1;
  $('query').value = view.get('q') || '';
  setPattern($('query').value);
  showRange();
  refilter();
  const zoom = numberOf(view.get('zoom'), 1, state.tree.size);
  if (zoom !== null && state.tree.width[zoom] > 0) {
    zoomTo(zoom);
    if (state.sandwich < 0) select(state.tree, zoom);
  }
  address.ready = true;
  address.last = location.hash.slice(1);
}
