
// --- where boxes are

// Children of each node, the widest first: tree.kids[tree.firstKid[node]] is the first, tree.firstKid[node + 1] is past the
// last. Comparisons have the order of the new capture on both sides.
function sortChildren(tree) {
  if (tree.sorted === stamp) return;
  tree.sorted = stamp;
  const size = tree.size, first = new Uint32Array(size + 2), kids = new Uint32Array(size);
  for (let i = 1; i < size; i++) first[tree.parent[i] + 2]++;
  for (let i = 2; i <= size + 1; i++) first[i] += first[i - 1];
  for (let i = 1; i < size; i++) kids[first[tree.parent[i] + 1]++] = i;
  const before = function (a, b) {
    return tree.total[b] - tree.total[a] || (hasBefore ? tree.oldTotal[b] - tree.oldTotal[a] : 0) || a - b;
  };
  for (let i = 0; i < size; i++) {
    const from = first[i], to = first[i + 1];
    if (to - from > 16) {
      kids.set(Array.from(kids.subarray(from, to)).sort(before), from);
      continue;
    }
    for (let at = from + 1; at < to; at++) {
      const kid = kids[at];
      let place = at;
      for (; place > from && before(kid, kids[place - 1]) < 0; place--) kids[place] = kids[place - 1];
      kids[place] = kid;
    }
  }
  tree.kids = kids;
  tree.firstKid = first;
}

function children(tree, node) { return tree.kids.subarray(tree.firstKid[node], tree.firstKid[node + 1]); }

// x in units of the value; for each depth the nodes from left to right.
function layOut(tree, before) {
  const width = before ? tree.oldTotal : tree.total, x = new Float64Array(tree.size), lengths = [0];
  sortChildren(tree);
  for (let i = 0; i < tree.size; i++) {
    if (width[i] > 0 || !i) lengths[tree.depth[i]] = (lengths[tree.depth[i]] || 0) + 1;
  }
  const rows = Array.from(lengths, function (length) { return new Uint32Array(length || 0); });
  const filled = new Uint32Array(rows.length), waiting = new Uint32Array(tree.size + 1);
  for (let left = 1; left;) {
    const node = waiting[--left], depth = tree.depth[node], from = tree.firstKid[node];
    if (depth < rows.length && (width[node] > 0 || !node)) rows[depth][filled[depth]++] = node;
    let at = x[node];
    for (let i = from; i < tree.firstKid[node + 1]; i++) {
      x[tree.kids[i]] = at;
      at += width[tree.kids[i]];
    }
    // The last one that is put there is the first that is taken.
    for (let i = tree.firstKid[node + 1]; i-- > from;) if (width[tree.kids[i]] > 0) waiting[left++] = tree.kids[i];
  }
  tree.x = x;
  tree.width = width;
  tree.rows = rows;
}

// The first node of a row, from number `from` on, that reaches beyond x. Near ones are found in a few steps.
function firstBeyond(tree, row, x, from) {
  const starts = tree.x, widths = tree.width;
  let low = from || 0, step = 1;
  while (low + step < row.length && starts[row[low + step]] + widths[row[low + step]] <= x) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, row.length);
  while (low < high) {
    const middle = (low + high) >> 1, node = row[middle];
    if (starts[node] + widths[node] > x) high = middle;
    else low = middle + 1;
  }
  return low;
}
