
// --- paper, and the start

// On paper everything is light and has its whole height, as far as a canvas can be. Paper shows the warnings, too.
const paper = { dark: false };
function beforePrint() {
  paper.dark = document.documentElement.classList.contains('dark');
  document.documentElement.classList.remove('dark');
  if (!$('trust').classList.contains('good')) $('trust').open = true;
  state.room = 8000;
  readColors();
  resize();
  drawStrip();
  scroll.scrollTop = 0;
  draw();
}

function afterPrint() {
  document.documentElement.classList.toggle('dark', paper.dark);
  state.room = 0;
  paintAll();
  resize();
}

function startTimes() {
  startStrip();
  startHeat();
  const typed = function () { chooseTimes(Number($('from').value), Number($('to').value)); };
  $('from').addEventListener('change', typed);
  $('to').addEventListener('change', typed);
  $('all-times').addEventListener('click', function () { chooseTimes(0, Infinity); });
}

function start() {
  document.body.classList.add('ready');
  if (window.matchMedia('(prefers-color-scheme: dark)').matches) {
    document.documentElement.classList.add('dark');
    $('dark').setAttribute('aria-pressed', 'true');
  }
  if (data.empty) {
    document.body.classList.add('nothing');
    $('empty').textContent = data.empty;
    $('empty').hidden = false;
    return;
  }
  readColors();
  pen.font = FONT;
  $('vanished').hidden = !hasBefore;
  $('busy').hidden = idleNodes === null;
  $('points-head').hidden = !hasBefore;
  $('self-head').hidden = data.waits;
  startControls();
  startHands();
  startTimes();
  window.addEventListener('resize', function () {
    resize();
    drawStrip();
    drawHeat();
  });
  window.addEventListener('beforeprint', beforePrint);
  window.addEventListener('afterprint', afterPrint);
  window.addEventListener('hashchange', function () { if (location.hash.slice(1) !== address.last) recall(); });
  recall();
  draw();
}

start();
window.stapReport = {
  state: state, whole: whole, data: data, samples: samples, draw: draw, search: search, zoomTo: zoomTo, totalsBy: totalsBy, folded: folded,
  rowHeight: ROW, strips: strips, newTree: newTree, makeCards: makeCards, cardText: cardText, boxName: boxName, framesOf: framesOf, valueText: valueText, longText: longText,
  percentText: percentText, select: select, unselect: unselect, removeBox: removeBox, look: look, range: range, addUp: addUp, layOut: layOut
};
})();
