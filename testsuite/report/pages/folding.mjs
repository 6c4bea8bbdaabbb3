// SPDX-License-Identifier: GPL-2.0-or-later
// Folding loses nothing: the maker of the trees knows the sums.
import { expect, open, report, same, state, table, test, typeSearch } from './browser.mjs';

// Trees of stacks that lead on for long, branch and call themselves. In the page; it gives what went wrong, or "".
function foldRandomTrees(trees) {
  const { newTree, addUp, folded, framesOf, data } = stapReport, frameCount = data.names.length;
  let seed = 20251129;
  const random = (below) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return Math.floor(seed / 4294967296 * below);
  };
  let runs = 0;
  for (let number = 0; number < trees; number++) {
    const size = 2 + random(120), tree = newTree(size), known = { total: 0, byNode: new Array(size).fill(0) };
    for (let i = 1; i < size; i++) {
      // Mostly a child of the last one, of the same kind as that: runs.
      tree.parent[i] = random(10) < 8 ? i - 1 : random(i);
      tree.depth[i] = tree.depth[tree.parent[i]] + 1;
      tree.frame[i] = random(3) && tree.parent[i] ? tree.frame[tree.parent[i]] : random(frameCount);
      tree.self[i] = random(4) ? 0 : random(random(5) ? 3 : 1000);
      known.total += tree.self[i];
      // The generator's own sums: each own value is in all nodes up to the root.
      for (let at = i; ; at = tree.parent[at]) {
        known.byNode[at] += tree.self[i];
        if (!at) break;
      }
    }
    addUp(tree);
    const out = folded(tree), where = 'tree ' + number + ': ';
    if (out.total[0] !== known.total) return where + 'the sum is ' + out.total[0];
    const sums = new Array(out.size).fill(0), below = new Array(out.size).fill(0);
    for (let i = 1; i < size; i++) {
      const box = out.place[i];
      sums[box] += tree.self[i];
      if (!framesOf(out, box).includes(tree.frame[i])) return where + 'a frame is not in its box';
      // On the way from its box to the root are all its callers, in their order.
      let at = box, frames = framesOf(out, at).slice().reverse(), next = 0;
      for (let node = i; node; node = tree.parent[node]) {
        for (;;) {
          if (next === frames.length) {
            at = out.parent[at];
            if (!at) return where + 'a caller is lost';
            frames = framesOf(out, at).slice().reverse();
            next = 0;
          }
          if (frames[next++] === tree.frame[node]) break;
        }
      }
    }
    for (let box = 1; box < out.size; box++) {
      below[out.parent[box]] += out.total[box];
      if (out.total[box] !== known.byNode[out.head[box]]) return where + 'a total is another';
      const frames = framesOf(out, box), owners = frames.map((frame) => data.owner[frame]);
      if (frames.length > 1) runs++;
      if (frames.length > 1 && known.byNode[out.tail[box]] < 0.95 * known.byNode[out.head[box]]) return where + 'a run leads elsewhere';
      if (new Set(owners).size > 1) return where + 'a run has several owners';
      if (owners[0] === '0' && new Set(frames).size > 1) return where + 'own functions are hidden';
    }
    for (let box = 0; box < out.size; box++) {
      if (box && out.self[box] !== sums[box]) return where + 'own values of a box are others';
      if (out.self[box] + below[box] !== out.total[box]) return where + 'a box is not the sum of its parts';
      // Nothing that could be folded is left.
      if (!box) continue;
      for (let kid = 1; kid < out.size; kid++) {
        const same = tree.frame[out.head[kid]] === tree.frame[out.head[box]], owner = data.owner[tree.frame[out.head[box]]];
        if (tree.parent[out.head[kid]] === out.tail[box] && known.byNode[out.head[kid]] > 0 && known.byNode[out.head[kid]] >= 0.95 * known.byNode[out.head[box]] &&
            (same || (owner !== '0' && owner === data.owner[tree.frame[out.head[kid]]]))) return where + 'a run ends too early';
      }
    }
  }
  return runs > 1000 ? '' : 'only ' + runs + ' runs';
}

async function randomTrees() {
  await open(report('clean', 'html'), async (page) => same(await page.evaluate(foldRandomTrees, 1000), '', 'folding'));
}

// The list and the search of pages do not depend on it.
async function listAndSearch() {
  for (const name of ['clean', 'web', 'waits', 'ragged', 'hostile', 'large']) {
    await open(report(name, 'html'), async (page) => {
      const view = async () => {
        const rows = await page.$eval('#body', (body) => body.textContent);
        await typeSearch(page, 'e.*r');
        const found = [await state(page, 'share'), await table(page)];
        await page.evaluate(() => {
          document.getElementById('query').value = '';
          stapReport.search('');
          document.activeElement.blur();
        });
        return [rows, found];
      };
      const folded = await view(), boxes = await page.evaluate(() => stapReport.state.tree.size);
      await page.keyboard.press('f');
      same(await view(), folded, name);
      expect(await page.evaluate(() => stapReport.state.tree.size) >= boxes, name + ' has fewer boxes without folding');
    });
  }
}

// The names of the rows.
async function names() {
  await open(report('waits', 'html'), async (page) => {
    const rows = await page.evaluate(() => {
      const tree = stapReport.state.tree;
      return Array.from({ length: tree.size }, (_, i) => stapReport.boxName(tree, i));
    });
    for (const wanted of ['all', 'handle_request', 'pthread_mutex_lock \u203a __lll_lock_wait', 'futex_wait \u203a schedule']) expect(rows.includes(wanted), wanted + ' is not in ' + rows);
  });
}

// However many boxes: each is looked at a few times, and as long as a plain loop over as many takes, not more.
async function cost() {
  await open(report('large', 'html'), async (page) => {
    const times = await page.evaluate(() => {
      const { whole, folded, makeCards } = stapReport, least = (act) => {
        let best = Infinity;
        for (let i = 0; i < 5; i++) {
          const begin = performance.now();
          act();
          best = Math.min(best, performance.now() - begin);
        }
        return best;
      };
      // The least cost of any folding: arrays of the tree's size that are written and read in the order of nodes.
      const unit = least(() => {
        for (let round = 0; round < 10; round++) {
          const sums = new Float64Array(whole.size);
          for (let i = whole.size - 1; i > 0; i--) sums[whole.parent[i]] += sums[i] + whole.self[i];
        }
      });
      return { unit: unit, work: least(() => { folded(whole); makeCards(whole); }), boxes: whole.size };
    });
    console.log(`# ${times.boxes} boxes: fold and cards ${times.work.toFixed(1)} ms, ten passes ${times.unit.toFixed(1)} ms`);
    expect(times.work < 20 * times.unit, `fold and cards take ${(times.work / times.unit).toFixed(1)} times as long as ten passes`);
  });
}

export async function run() {
  await test('folding of 1,000 random trees', randomTrees);
  await test('the list and the search, folded or not', listAndSearch);
  await test('names of folded rows', names);
  await test('folding 500,000 boxes', cost);
}
