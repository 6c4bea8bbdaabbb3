
// --- the heat map: a column for each second, parts of it from the bottom up

const PARTS = 50, CELL = 4;
const heat = $('heat'), heatPen = heat.getContext('2d');
const times = { seconds: 0, cells: null, most: 0, at: -1, begin: -1, width: CELL };

function drawHeat() {
  if (!data.timed || $('times').hidden) return;
  const ratio = window.devicePixelRatio || 1, room = stripSize().width;
  times.width = Math.max(1, Math.min(48, Math.floor(room / Math.max(times.seconds, 1))));
  const width = Math.min(times.width * times.seconds, room), height = PARTS * CELL / 2;
  heat.width = Math.round(width * ratio);
  heat.height = Math.round(height * ratio);
  heat.style.width = width + 'px';
  heat.style.height = height + 'px';
  heatPen.setTransform(ratio, 0, 0, ratio, 0, 0);
  heatPen.fillStyle = state.colors.paper;
  heatPen.fillRect(0, 0, width, height);
  const from = Math.floor(state.from * PARTS), to = Math.ceil(state.to * PARTS);
  for (let second = 0; second < times.seconds; second++) {
    for (let part = 0; part < PARTS; part++) {
      const cell = second * PARTS + part, value = times.cells[cell];
      const chosen = cell >= from && cell < to;
      heatPen.globalAlpha = chosen ? 1 : 0.35;
      heatPen.fillStyle = value ? 'hsl(' + (48 - 44 * Math.sqrt(value / times.most)) + ' 90% ' + (80 - 40 * Math.sqrt(value / times.most)) + '%)' : '#8882';
      heatPen.fillRect(second * times.width, height - (part + 1) * CELL / 2, times.width, CELL / 2);
    }
  }
  heatPen.globalAlpha = 1;
  if (times.at < 0) return;
  heatPen.strokeStyle = state.colors.ink;
  heatPen.strokeRect(Math.floor(times.at / PARTS) * times.width, height - (times.at % PARTS + 1) * CELL / 2, times.width, CELL / 2);
}

function cellAt(event) {
  const box = heat.getBoundingClientRect();
  const second = Math.floor((event.clientX - box.left) / times.width);
  const part = Math.floor((box.bottom - event.clientY) / (CELL / 2));
  return Math.max(0, Math.min(times.cells.length - 1, second * PARTS + Math.max(0, Math.min(PARTS - 1, part))));
}

function chooseCells(a, b) {
  chooseTimes(Math.min(a, b) / PARTS, (Math.max(a, b) + 1) / PARTS);
}

function tellCell() {
  $('moment').textContent = times.at < 0 ? '' : (times.at / PARTS).toFixed(2) + ' s: ' + valueText(times.cells[times.at]);
}

function pickCell() {
  if (times.begin < 0) {
    times.begin = times.at;
    $('moment').textContent = 'from ' + (times.at / PARTS).toFixed(2) + ' s to ...';
  } else {
    chooseCells(times.begin, times.at);
    times.begin = -1;
  }
}

function startHeat() {
  if (!data.timed) return;
  $('heat-map').hidden = false;
  times.seconds = Math.min(Math.max(Math.ceil(strips.end / 1e6), 1), 3600);
  times.cells = new Float64Array(times.seconds * PARTS);
  for (let i = 0; i < samples.node.length; i++) {
    // The last moment is in the range that ends there.
    const cell = Math.floor(Math.min(samples.time[i], strips.end - 1) * PARTS / 1e6);
    // A sample without a time is in no part of a second.
    if (samples.time[i] && cell < times.cells.length) times.cells[cell] += samples.value[i];
  }
  for (const value of times.cells) times.most = Math.max(times.most, value);
  heat.addEventListener('mousedown', function (event) { times.begin = times.at = cellAt(event); });
  heat.addEventListener('mousemove', function (event) {
    times.at = cellAt(event);
    tellCell();
    drawHeat();
  });
  heat.addEventListener('mouseup', function (event) {
    if (times.begin >= 0) chooseCells(times.begin, cellAt(event));
    times.begin = -1;
  });
  heat.addEventListener('keydown', function (event) {
    const steps = { ArrowLeft: -PARTS, ArrowRight: PARTS, ArrowUp: 1, ArrowDown: -1 };
    if (event.key in steps) {
      times.at = Math.max(0, Math.min(times.cells.length - 1, Math.max(times.at, 0) + steps[event.key]));
      tellCell();
      drawHeat();
    } else if (event.key === ' ' && times.at >= 0) {
      pickCell();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  });
}
