(function () {
  'use strict';
  const MARGIN = 10, WIDTH = 1200 - 2 * MARGIN, COLUMN = 7.2;
  const svg = document.documentElement;
  const boxes = Array.from(document.querySelectorAll('#boxes > g'), function (g) {
    const rect = g.querySelector('rect'), title = g.querySelector('title').textContent;
    return {
      g: g, rect: rect, text: g.querySelector('text'), title: title,
      name: title.split('\n')[0], label: g.dataset.name, share: g.dataset.share,
      x: +rect.getAttribute('x'), y: +rect.getAttribute('y'), width: +rect.getAttribute('width')
    };
  });
  let zoomed = boxes[0], pattern = null;

  function place(box, x, width) {
    box.rect.setAttribute('x', x);
    box.rect.setAttribute('width', width);
    box.text.setAttribute('x', x + 3);
    let columns = Math.floor((width - 4) / COLUMN);
    const all = Array.from(box.label), shared = width >= 130 && columns > box.share.length + 4;
    if (shared) columns -= box.share.length + 2;
    const text = columns < 3 ? '' : all.length <= columns ? box.label : all.slice(0, columns - 1).join('') + '…';
    box.text.textContent = text + (shared ? '  ' + box.share : '');
  }

  function zoom(to) {
    zoomed = to;
    const left = to.x - 0.001, right = to.x + to.width + 0.001;
    boxes.forEach(function (box) {
      const outer = box.y < to.y && box.x <= to.x + 0.001 && box.x + box.width >= right - 0.002;
      const inner = box.y >= to.y && box.x >= left && box.x + box.width <= right;
      box.g.classList.toggle('outer', outer);
      box.g.classList.toggle('hidden', !outer && !inner);
      if (outer) place(box, MARGIN, WIDTH);
      if (inner) place(box, MARGIN + (box.x - to.x) * WIDTH / to.width, box.width * WIDTH / to.width);
    });
  }

  // A box in a box that was found counts once.
  function search(text) {
    try {
      pattern = text ? new RegExp(text) : null;
    } catch (error) {
      pattern = new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    }
    const found = boxes.filter(function (box, i) {
      const is = pattern !== null && i > 0 && pattern.test(box.name);
      box.g.classList.toggle('found', is);
      return is;
    });
    found.sort(function (a, b) { return a.x - b.x || b.width - a.width; });
    let sum = 0, end = -1;
    found.forEach(function (box) {
      if (box.x + box.width <= end + 0.001) return;
      sum += box.width;
      end = box.x + box.width;
    });
    document.getElementById('found').textContent = pattern ? 'found: ' + (100 * sum / boxes[0].width).toFixed(2) + ' %' : ' ';
  }

  function ask() {
    const text = window.prompt('Search for (a regular expression):', '');
    if (text !== null) search(text);
  }

  svg.classList.add('scripted');
  boxes.forEach(function (box) {
    box.g.addEventListener('click', function () { zoom(box); });
  });
  document.getElementById('reset').addEventListener('click', function () { zoom(boxes[0]); });
  document.getElementById('search').addEventListener('click', ask);
  window.addEventListener('keydown', function (event) {
    if (event.key === '/' || (event.key === 'f' && event.ctrlKey)) {
      event.preventDefault();
      ask();
    } else if (event.key === 'Escape') {
      search('');
      zoom(boxes[0]);
    }
  });
  window.stapReport = { search: search, zoom: zoom, boxes: boxes };
})();
