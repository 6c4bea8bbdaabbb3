
// --- folding: what only leads on is one box

// A run goes on while nearly everything of its first frame does, in both captures of a comparison.
const LEADS_ON = 0.95;

function leadsOn(tree, head, node) {
  const first = tree.frame[head], frame = tree.frame[node];
  // Functions of the program itself are what the reader looks for: of those only calls by themselves fold.
  if (first !== frame && (owners[first] !== owners[frame] || owners[first] === OWN)) return false;
  const old = hasBefore ? tree.oldTotal[node] : 0;
  if (!(tree.total[node] > 0 || old > 0)) return false;
  return tree.total[node] >= LEADS_ON * tree.total[head] && (!hasBefore || old >= LEADS_ON * tree.oldTotal[head]);
}

// A tree with a node for each run of nodes. A branch within a run is a child of the run; nothing is merged, so that
// all sums stay. `from` is the tree that was folded, `place` tells for its nodes where they are, `head` and `tail` are the
// ends of runs.
function folded(tree) {
  const size = tree.size, place = new Uint32Array(size), head = new Uint32Array(size), tail = new Uint32Array(size);
  let count = 1;
  for (let i = 1; i < size; i++) {
    const box = place[tree.parent[i]];
    if (box && tail[box] === tree.parent[i] && leadsOn(tree, head[box], i)) {
      tail[box] = i;
      place[i] = box;
    } else {
      head[count] = tail[count] = i;
      place[i] = count++;
    }
  }
  const out = newTree(count);
  for (let box = 1; box < count; box++) {
    const node = head[box], parent = place[tree.parent[node]];
    out.parent[box] = parent;
    out.frame[box] = tree.frame[node];
    out.depth[box] = out.depth[parent] + 1;
  }
  const sums = ['total', 'count'].concat(hasBefore ? ['oldTotal', 'oldCount'] : []);
  sums.forEach(function (field) {
    for (let box = 0; box < count; box++) out[field][box] = tree[field][head[box]];
  });
  for (let i = 0; i < size; i++) {
    out.self[place[i]] += tree.self[i];
    if (hasBefore) out.oldSelf[place[i]] += tree.oldSelf[i];
  }
  out.from = tree;
  out.place = place;
  out.head = head.subarray(0, count);
  out.tail = tail.subarray(0, count);
  out.end = endsThrough(tree, place);
  return out;
}

// Frames of a box, the outermost first.
function framesOf(tree, node) {
  if (!tree.from || !node) return [tree.frame[node]];
  const frames = [], from = tree.from;
  for (let at = tree.tail[node]; ; at = from.parent[at]) {
    frames.push(from.frame[at]);
    if (at === tree.head[node]) return frames.reverse();
  }
}

function tailFrame(tree, node) { return tree.from && node ? tree.from.frame[tree.tail[node]] : tree.frame[node]; }

// The text of a box. A box that enters the kernel shows the system call, which is the name that people know.
function boxName(tree, node) {
  if (!node) return 'all';
  if (!tree.from || tree.head[node] === tree.tail[node]) return shortName(tree.frame[node]);
  const frames = framesOf(tree, node), last = frames[frames.length - 1];
  if (frames.every(function (frame) { return frame === last; })) return shortName(last) + ' \u00d7 ' + frames.length;
  let first = shortName(frames[0]);
  if (owners[last] === KERNEL) {
    const call = frames.map(function (frame) { return /^(?:__(?:x64|arm64|se)_|k)sys_(\w+)/.exec(data.names[frame]); }).find(Boolean);
    if (call) first = call[1] + '()';
  }
  return first + ' \u203a ' + shortName(last);
}

// All of it, for cards and hints.
function fullName(tree, node) {
  return node ? framesOf(tree, node).map(function (frame) { return data.names[frame]; }).join(' \u203a ') : 'all';
}
