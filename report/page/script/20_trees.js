
// --- trees: what is filtered, turned around, collapsed

function clear(tree) {
  [tree.self, tree.total, tree.count, tree.oldSelf, tree.oldTotal, tree.oldCount].forEach(function (values) {
    if (values) values.fill(0);
  });
}

// Children come after their parents, so one pass from the end has all sums.
function addUp(tree) {
  for (let i = tree.size - 1; i >= 0; i--) {
    tree.total[i] += tree.self[i];
    if (hasBefore) tree.oldTotal[i] += tree.oldSelf[i];
    if (!i) break;
    const parent = tree.parent[i];
    tree.total[parent] += tree.total[i];
    tree.count[parent] += tree.count[i];
    if (!hasBefore) continue;
    tree.oldTotal[parent] += tree.oldTotal[i];
    tree.oldCount[parent] += tree.oldCount[i];
  }
}

// 1 for each node in the group of idle waits; null if there is no such group.
const idleNodes = (function () {
  const idle = data.names.findIndex(function (name, frame) { return name === '[idle]' && owners[frame] === FACT; });
  if (idle < 0) return null;
  const nodes = new Uint8Array(whole.size);
  for (let i = 1; i < whole.size; i++) nodes[i] = nodes[whole.parent[i]] || whole.frame[i] === idle ? 1 : 0;
  return nodes;
})();

// A sample of this thread is let through. -1: all, -2: those that are not in `few`.
function ofThread(wanted, thread, few) {
  return wanted === -1 || thread === wanted || (wanted === -2 && few.indexOf(thread) < 0);
}

// The whole tree with the values of samples that the filter lets through: a thread, a range of seconds, idle waits, and
// what was removed by hand. A range has its begin and not its end, so that of two neighbours only one has a sample.
// setTimes() makes no end of the session's.
function fill(filter) {
  clear(whole);
  const gone = filter.gone;
  const from = Math.round(filter.from * 1e6), to = Math.round(filter.to * 1e6);
  // A range from 0 to Infinity also includes the samples without a time.
  const ranged = data.timed && (from > 0 || to < Infinity);
  for (let i = 0; i < samples.node.length; i++) {
    if (!ofThread(filter.thread, samples.thread[i], filter.few)) continue;
    if (ranged && (!samples.time[i] || samples.time[i] < from || samples.time[i] >= to)) continue;
    const node = samples.node[i];
    if ((filter.busy && idleNodes[node]) || (gone && gone[node])) continue;
    whole.self[node] += samples.value[i];
    whole.count[node] += samples.count[i];
  }
  for (let i = 0; i < samples.oldNode.length; i++) {
    const node = samples.oldNode[i];
    if ((filter.busy && idleNodes[node]) || (gone && gone[node])) continue;
    whole.oldSelf[node] += samples.oldValue[i];
    whole.oldCount[node] += samples.oldCount[i];
  }
  addUp(whole);
}

// Collects nodes one by one; finish() puts children in order and adds up. `ends`, which becomes the tree's `end`, has for
// each node of the whole tree the node in which its own samples are.
function treeBuilder() {
  const parent = [0], frame = [0], depth = [0], self = [0], count = [0], oldSelf = [0], oldCount = [0];
  const children = new Map();
  return {
    child: function (node, of) {
      const key = node * frameCount + of;
      let found = children.get(key);
      if (found === undefined) {
        found = parent.length;
        children.set(key, found);
        parent.push(node);
        frame.push(of);
        depth.push(depth[node] + 1);
        self.push(0);
        count.push(0);
        oldSelf.push(0);
        oldCount.push(0);
      }
      return found;
    },
    add: function (node, value, samplesOf, oldValue, oldSamples) {
      self[node] += value;
      count[node] += samplesOf;
      oldSelf[node] += oldValue;
      oldCount[node] += oldSamples;
    },
    finish: function (ends) {
      const tree = newTree(parent.length);
      const order = inOrder(parent, frame, depth), place = new Uint32Array(parent.length);
      order.forEach(function (node, i) { place[node] = i; });
      order.forEach(function (node, i) {
        tree.parent[i] = place[parent[node]];
        tree.frame[i] = frame[node];
        tree.depth[i] = depth[node];
        tree.self[i] = self[node];
        tree.count[i] = count[node];
        if (!hasBefore) return;
        tree.oldSelf[i] = oldSelf[node];
        tree.oldCount[i] = oldCount[node];
      });
      addUp(tree);
      if (ends) tree.end = ends.map(function (node) { return place[node]; });
      return tree;
    }
  };
}

// Nodes as a walk from the root meets them, children by name.
function inOrder(parent, frame) {
  const size = parent.length, first = new Int32Array(size).fill(-1), next = new Int32Array(size).fill(-1);
  const byName = new Uint32Array(Math.max(size - 1, 0));
  for (let i = 1; i < size; i++) byName[i - 1] = i;
  byName.sort(function (a, b) { return rank[frame[b]] - rank[frame[a]]; });
  byName.forEach(function (node) {
    next[node] = first[parent[node]];
    first[parent[node]] = node;
  });
  const order = new Uint32Array(size), waiting = [];
  for (let at = 0, node = 0; at < size; at++) {
    order[at] = node;
    if (next[node] >= 0) waiting.push(next[node]);
    if (first[node] >= 0) node = first[node];
    else node = waiting.pop();
  }
  return order;
}

function oldSelfOf(tree, node) { return hasBefore ? tree.oldSelf[node] : 0; }
function ownOldCount(tree, node) { return hasBefore ? ownCounts(tree).old[node] : 0; }

// Counts of nodes include those of what they call; these do not.
function ownCounts(tree) {
  if (tree.own && tree.ownStamp === stamp) return tree.own;
  const own = { now: Float64Array.from(tree.count), old: hasBefore ? Float64Array.from(tree.oldCount) : null };
  for (let i = 1; i < tree.size; i++) {
    own.now[tree.parent[i]] -= tree.count[i];
    if (hasBefore) own.old[tree.parent[i]] -= tree.oldCount[i];
  }
  tree.own = own;
  tree.ownStamp = stamp;
  return own;
}

// Raised whenever the values of the whole tree change.
let stamp = 0;

// Calls of a function by itself become one box.
function collapsed(tree) {
  const builder = treeBuilder(), place = new Uint32Array(tree.size), own = ownCounts(tree);
  for (let i = 0; i < tree.size; i++) {
    if (i) {
      const parent = tree.parent[i];
      place[i] = parent && tree.frame[parent] === tree.frame[i] ? place[parent] : builder.child(place[parent], tree.frame[i]);
    }
    builder.add(place[i], tree.self[i], own.now[i], oldSelfOf(tree, i), ownOldCount(tree, i));
  }
  const made = builder.finish(place);
  made.end = endsThrough(tree, made.end);
  return made;
}

// Where own samples of the whole tree's nodes are, after one more step.
function endOf(tree, node) { return tree.end ? tree.end[node] : node; }
function endsThrough(tree, place) {
  return tree.end ? tree.end.map(function (node) { return place[node]; }) : place;
}

// Merged from the leaves on: below each function is who called it.
function inverted(tree) {
  const builder = treeBuilder(), own = ownCounts(tree), place = new Uint32Array(tree.size);
  for (let i = 1; i < tree.size; i++) {
    if (!tree.self[i] && !oldSelfOf(tree, i)) continue;
    let node = 0;
    for (let at = i; at; at = tree.parent[at]) node = builder.child(node, tree.frame[at]);
    builder.add(node, tree.self[i], own.now[i], oldSelfOf(tree, i), ownOldCount(tree, i));
    place[i] = node;
  }
  const made = builder.finish(place);
  made.end = endsThrough(tree, made.end);
  return made;
}

// Returns two trees with the function as their root's only child: its callees and its callers. Among recursive calls,
// only the outermost counts.
function around(tree, frame) {
  const callees = treeBuilder(), callers = treeBuilder(), own = ownCounts(tree);
  const place = new Uint32Array(tree.size);  // in callees; 0: not below the function
  for (let i = 1; i < tree.size; i++) {
    const parent = tree.parent[i];
    if (place[parent]) {
      place[i] = callees.child(place[parent], tree.frame[i]);
    } else if (tree.frame[i] === frame) {
      place[i] = callees.child(0, frame);
      let node = callers.child(0, frame);
      for (let at = parent; at; at = tree.parent[at]) node = callers.child(node, tree.frame[at]);
      callers.add(node, tree.total[i], tree.count[i], hasBefore ? tree.oldTotal[i] : 0, hasBefore ? tree.oldCount[i] : 0);
    }
    if (place[i]) callees.add(place[i], tree.self[i], own.now[i], oldSelfOf(tree, i), ownOldCount(tree, i));
  }
  return { callees: callees.finish(), callers: callers.finish() };
}

// Like the report's own: how a node's share differs, and whether that is more than noise.
function difference(tree, node) {
  const all = tree.total[0], oldAll = tree.oldTotal[0];
  const now = all ? tree.total[node] / all : 0, then = oldAll ? tree.oldTotal[node] / oldAll : 0;
  const error = function (part, n, of) { return n ? part / Math.sqrt(n) : of ? 1 / of : 0; };
  const a = error(now, tree.count[node], tree.count[0]), b = error(then, tree.oldCount[node], tree.oldCount[0]);
  const points = 100 * (now - then);
  let kind = 'noise';
  if (Math.abs(now - then) > 2 * Math.sqrt(a * a + b * b)) {
    kind = !tree.oldTotal[node] ? 'new' : !tree.total[node] ? 'gone' : now > then ? 'more' : 'less';
  }
  return { points: points, kind: kind };
}
