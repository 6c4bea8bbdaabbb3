(function () {
'use strict';

// --- what the report put into the page

const $ = function (id) { return document.getElementById(id); };
const data = JSON.parse($('data').textContent);
const frameCount = data.names.length;
const hasBefore = data.before;
const OWN = 0, LIBRARY = 1, KERNEL = 2, SCRIPT = 3, FACT = 4;
// Each frame's owner, as a number.
const owners = Uint8Array.from(data.owner, Number);

// Numbers of 7 bits a byte, the lowest first.
function numbers(base64) {
  const bytes = atob(base64);
  let at = 0;
  return function () {
    let value = 0, factor = 1;
    for (;;) {
      const byte = bytes.charCodeAt(at++);
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  };
}

// A tree: arrays by node, parents before their children. Node 0 is everything.
function newTree(size) {
  return {
    size: size, parent: new Uint32Array(size), frame: new Uint32Array(size), depth: new Uint32Array(size),
    self: new Float64Array(size), total: new Float64Array(size), count: new Float64Array(size),
    oldSelf: hasBefore ? new Float64Array(size) : null, oldTotal: hasBefore ? new Float64Array(size) : null,
    oldCount: hasBefore ? new Float64Array(size) : null
  };
}

// Samples end at nodes of the whole tree.
const samples = {};
const whole = (function () {
  const next = numbers($('numbers').textContent);
  const size = next();
  const tree = newTree(size), path = [0];
  let depth = 0;
  for (let i = 1; i < size; i++) {
    depth = depth + 1 - next();
    tree.depth[i] = depth;
    tree.parent[i] = path[depth - 1];
    tree.frame[i] = next();
    path[depth] = i;
  }
  const read = function (length, fields) {
    fields.forEach(function (field) { samples[field] = new Float64Array(length); });
    for (let i = 0, node = 0; i < length; i++) {
      fields.forEach(function (field, number) {
        samples[field][i] = number ? next() : (node += next());
      });
    }
  };
  read(next(), data.timed ? ['node', 'thread', 'value', 'count', 'time'] : ['node', 'thread', 'value', 'count']);
  read(next(), ['oldNode', 'oldValue', 'oldCount']);
  return tree;
})();

// Frames in the order of their names, which is that of children.
const rank = new Uint32Array(frameCount);
data.order.forEach(function (frame, i) { rank[frame] = i; });

function objectOf(frame) { return data.objects[data.object[frame]]; }
function baseName(path) { return path.slice(path.lastIndexOf('/') + 1); }
function isUnnamed(frame) { return (data.flags[frame] & 4) !== 0; }
function isInlined(frame) { return (data.flags[frame] & 8) !== 0; }
function placeOf(frame) {
  const file = data.files[data.file[frame]];
  return file && data.line[frame] ? file + ':' + data.line[frame] : file;
}
