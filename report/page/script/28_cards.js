
// --- what the picture says in three to five lines; report/cards.h has the rule

const FORK = 0.05, KEEPS = 0.7, MOST_CARDS = 5;

function isIdle(tree, node) { return node > 0 && owners[tree.frame[node]] === FACT && data.names[tree.frame[node]] === '[idle]'; }
function isOwn(tree, node) {
  const frame = tree.frame[node];
  return node > 0 && (owners[frame] === OWN || owners[frame] === SCRIPT) && !isUnnamed(frame) && !onlyStarts(frame);
}

function branchOf(tree, node) {
  return { node: node, own: false, value: tree.total[node], before: hasBefore ? tree.oldTotal[node] : 0, count: tree.count[node] };
}

// Where a function's callees fork, what it has itself is a branch like them.
function ownBranch(tree, node) {
  let count = tree.count[node];
  children(tree, node).forEach(function (kid) { count -= tree.count[kid]; });
  return { node: node, own: true, value: tree.self[node], before: oldSelfOf(tree, node), count: count };
}

// The branches where it forks, or none.
function splitBranch(tree, branch) {
  if (branch.own || isIdle(tree, branch.node)) return [];
  const least = FORK * tree.total[0];
  for (let node = branch.node; ;) {
    const wide = Array.from(children(tree, node)).filter(function (kid) { return tree.total[kid] >= least; })
      .map(function (kid) { return branchOf(tree, kid); });
    if (wide.length > 1) return tree.self[node] >= least ? wide.concat(ownBranch(tree, node)) : wide;
    if (!wide.length || wide[0].value < KEEPS * branch.value) return [];
    node = wide[0].node;
  }
}

// The nodes that have most of the branch, from its own on.
function wayOf(tree, branch) {
  const way = [branch.node];
  for (let node = branch.node; !branch.own; way.push(node)) {
    const from = tree.firstKid[node];
    if (from === tree.firstKid[node + 1] || tree.total[tree.kids[from]] < KEEPS * branch.value) break;
    node = tree.kids[from];
  }
  return way;
}

// The node that gives the name where no own function does.
function namedNode(tree, branch, way) {
  const isCode = function (node) { return node > 0 && owners[tree.frame[node]] !== FACT; };
  const isNamed = function (node) {
    const frame = tree.frame[node];
    return isCode(node) && !isUnnamed(frame) && !onlyStarts(frame) && !onlyEnters(frame);
  };
  const first = way.find(isNamed);
  if (first !== undefined) return first;
  if (branch.own) {
    for (let node = way[0]; node; node = tree.parent[node]) if (isNamed(node)) return node;
  }
  const last = way.filter(isCode).pop();
  return last === undefined ? way[way.length - 1] : last;
}

function cardOf(tree, branch) {
  const way = wayOf(tree, branch), own = way.filter(function (node) { return isOwn(tree, node); }).pop();
  const card = { kind: 'function', node: branch.node, value: branch.value, before: branch.before, count: branch.count, calls: '', callers: [], label: '' };
  card.named = own === undefined ? namedNode(tree, branch, way) : own;
  const called = own === undefined ? [] : way.slice(way.indexOf(own) + 1);
  const next = called.find(function (node) { return isSelfNamed(tree.frame[node]); });
  if (next !== undefined) card.calls = shortName(tree.frame[next]);
  card.name = card.named ? shortName(tree.frame[card.named]) : 'all';
  card.owner = card.named ? owners[tree.frame[card.named]] : FACT;
  for (let node = card.named ? tree.parent[card.named] : 0; node; node = tree.parent[node]) {
    const name = shortName(tree.frame[node]), last = card.callers[card.callers.length - 1] || card.name;
    if (isOwn(tree, node) && card.callers.length < 2 && name !== last) card.callers.push(name);
    if (owners[tree.frame[node]] === FACT && !/^\[|^--$/.test(name)) card.label = data.names[tree.frame[node]];
  }
  // As much as the box of the name, so that a reader finds it in the picture.
  if (!branch.own && !isIdle(tree, branch.node) && card.named) {
    const boxed = branchOf(tree, card.named);
    Object.assign(card, { value: boxed.value, before: boxed.before, count: boxed.count });
  }
  if (isIdle(tree, branch.node)) {
    const what = way.length > 1 ? /^\[(.+)\]$/.exec(data.names[tree.frame[way[1]]]) : null;
    card.kind = 'idle';
    card.name = what ? 'idle: ' + what[1] : 'idle';
    card.owner = FACT;
    card.calls = '';
    card.callers = [];
  }
  return card;
}

// Cards by value, then the rest, and idle waits last. Their values make the whole together.
function makeCards(tree) {
  if (tree.total[0] <= 0) return [];
  const wider = function (a, b) { return b.value - a.value; };
  let branches = [branchOf(tree, 0)], done = [];
  while (branches.length && branches.length + done.length < MOST_CARDS) {
    const widest = branches.sort(wider).shift(), parts = splitBranch(tree, widest);
    if (parts.length) branches = branches.concat(parts);
    else done.push(widest);
  }
  done = done.concat(branches).sort(wider).slice(0, MOST_CARDS);
  const cards = done.map(function (branch) { return cardOf(tree, branch); });
  const rest = { kind: 'elsewhere', node: 0, named: 0, name: 'elsewhere', owner: FACT, calls: '', callers: [], label: '' };
  [['value', tree.total], ['before', hasBefore ? tree.oldTotal : [0]], ['count', tree.count]].forEach(function (part) {
    rest[part[0]] = cards.reduce(function (left, card) { return left - card[part[0]]; }, part[1][0]);
  });
  const idle = cards.filter(function (card) { return card.kind === 'idle'; });
  return cards.filter(function (card) { return card.kind === 'function'; }).sort(wider)
    .concat(rest.value > 0 || rest.before > 0 ? [rest] : [], idle);
}

function cardName(card) { return (card.label ? card.label + ': ' : '') + card.name; }
function cardText(card) {
  return cardName(card) + (card.calls ? ' \u203a ' + card.calls : '') + (card.callers.length ? ' in ' + card.callers.join(' < ') : '');
}

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function button(text, title, act) {
  const made = element('button', '', text);
  made.type = 'button';
  if (title) made.title = title;
  made.addEventListener('click', act);
  return made;
}

function showCards() {
  const tree = whole;
  $('cards').hidden = !tree.total[0];
  if ($('cards').hidden) return;
  sortChildren(tree);
  state.cards = makeCards(tree);
  $('cards').replaceChildren(...state.cards.map(function (card) {
    const part = card.value / tree.total[0], full = card.named ? data.names[tree.frame[card.named]] : card.name;
    const made = card.kind === 'elsewhere' ? element('div') : button('', full + '\nShows it in the picture', function () { goTo(card.named || card.node); });
    made.className = 'card ' + card.kind;
    const share = element('b', '', percentText(part));
    if (hasBefore && card.kind !== 'elsewhere') {
      const change = difference(tree, card.node);
      if (change.kind !== 'noise') share.append(' ', element('small', '', pointsText(change.points)));
    }
    const where = card.callers.length ? ' in ' + card.callers.join(' < ') : card.calls ? ', in ' + card.calls : '';
    const bar = element('i', OWNER_WORDS[card.owner]);
    bar.style.width = Math.max(2, 100 * part) + '%';
    made.append(share, element('span', 'name', cardName(card)), element('span', 'where', valueText(card.value) + where), bar);
    const line = element('div', 'slot');
    line.setAttribute('role', 'listitem');
    line.append(made);
    return line;
  }));
}
