
// --- amounts and names as people read them; report/units.cc has the same rules

function countText(value) { return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ','); }

// Three digits; whole numbers from 1000 on.
function threeDigits(value) {
  return value < 9.995 ? value.toFixed(2) : value < 99.95 ? value.toFixed(1) : countText(value);
}

function scaled(value, units, factor, next) {
  let unit = 0;
  while (unit + 1 < units.length && value >= next) {
    value /= factor;
    unit++;
  }
  return (unit ? threeDigits(value) : countText(value)) + ' ' + units[unit];
}

function timeText(ns) { return ns < 0.5 ? '0 s' : scaled(ns, ['ns', '\u00b5s', 'ms', 's'], 1000, 999.5); }

function bytesText(bytes) {
  return bytes >= 0.5 && bytes < 1.5 ? '1 byte' : scaled(Math.max(bytes, 0), ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'], 1024, 1023.5);
}

function counted(count, many) {
  const one = /(ss|sh|nch|tch)es$/.test(many) ? many.slice(0, -2) : /[^s]s$/.test(many) && many.length > 2 ? many.slice(0, -1) : many;
  return countText(count) + ' ' + (Math.round(count) === 1 ? one : many);
}

const measure = data.measure;
const isClock = measure.kind === 'samples', isTime = measure.kind === 'time';

// "316 ms", "1.20 MiB", "12,642 faults"
function valueText(value) {
  if (isTime || isClock) return timeText(value * measure.scale);
  return measure.kind === 'bytes' ? bytesText(value * measure.scale) : counted(value, measure.unit);
}

// The same with what it was counted from: "316 ms, 315 samples".
function longText(value, count) {
  if (measure.kind === 'plain') return valueText(value);
  return valueText(value) + ', ' + counted(isClock ? value : count, data.waits ? 'waits' : 'samples');
}

// Shows a part as 100 % only if it is everything, and as 0 % only if it is nothing.
function percentText(part) {
  const percent = 100 * part;
  if (!(percent > 0)) return '0 %';
  if (percent >= 100) return '100 %';
  if (percent < 0.1) return '< 0.1 %';
  if (percent > 99.9) return '> 99.9 %';
  return percent.toFixed(percent >= 9.95 && percent < 99.5 ? 0 : 1) + ' %';
}

function pointsText(points) {
  const size = Math.abs(points);
  if (size < 0.05) return '0 pp';
  return (points < 0 ? '\u2212' : '+') + size.toFixed(size >= 9.95 ? 0 : 1) + ' pp';
}

// Without arguments and what compilers add.
function shortName(frame) { return data.short[frame] || data.names[frame]; }
function isSelfNamed(frame) { return !isUnnamed(frame) && owners[frame] !== FACT; }
function onlyStarts(frame) { return (data.flags[frame] & 16) !== 0; }
// Where the kernel is entered: what follows says why.
function onlyEnters(frame) { return (data.flags[frame] & 32) !== 0; }
