// The graph of statements: a box for each statement and each version of an array, kernels as boxes
// around the statements they compute, loops around what they repeat. Boxes are laid out from the
// inside out, in rows: each below all that it reads.

const GRAPH = {
  gapX: 22,
  gapY: 34,
  pad: 12,
  head: 24,
  letter: 7.3,
  most: 260
};

/** Everything that is drawn at one place of a graph: a statement, an array, or a group of those. */
class GraphItem {
  constructor(kind, text, style) {
    Object.assign(this, {kind, text, style, items: [], reads: new Set(), makes: new Set()});
    Object.assign(this, {x: 0, y: 0, width: 0, height: 0, id: null, lines: null, kernel: null});
  }
}

class GraphBuilder {
  constructor(report) {
    this.report = report;
    this.versions = new Map(report.graph.versions.map((each) => [each.id, each]));
    this.made = new Map();  // version -> the item that makes it, within one group
  }

  name(version) { return this.versions.get(version).name; }

  arrayItem(version) {
    const item = new GraphItem('array', this.name(version), 'array');
    const array = this.report.graph.arrays[this.versions.get(version).array];
    item.about = `${array.name}: ${array.type}[${array.extents.join('][')}]`;
    item.makes.add(version);
    return item;
  }

  statementItem(node) {
    const item =
        new GraphItem('statement', `${node.stencil}: ${this.name(node.result)}`, 'statement');
    item.about = node.text;
    item.lines = node.lines;
    item.id = node.id;
    for (const read of node.reads) item.reads.add(read.version);
    if (node.background !== null) item.reads.add(node.background);
    item.makes.add(node.result);
    return item;
  }

  /** The nodes of a region, those of one kernel in one group. */
  region(nodes, group, detailed, entries = null) {
    const kernels = new Map();
    for (const node of nodes) {
      if (node.kind === 'loop') {
        group.items.push(this.loop(node, detailed));
        continue;
      }
      const item = this.statementItem(node);
      if (node.kernel === null) {
        group.items.push(item);
        continue;
      }
      if (!kernels.has(node.kernel)) {
        const kernel = this.report.kernels[node.kernel];
        const box = new GraphItem('kernel', `${kernel.number} ${kernel.name}`, 'kernel');
        box.kernel = kernel;
        box.about = `computes ${kernel.computes}`;
        kernels.set(node.kernel, box);
        group.items.push(box);
      }
      const box = kernels.get(node.kernel);
      if (detailed) box.items.push(item);
      for (const version of item.reads)
        if (!box.makes.has(version)) box.reads.add(version);
      for (const version of item.makes) box.makes.add(version);
    }
    this.addArrays(group, entries);
  }

  /** What a turn begins with is a box in the loop, and what it leaves to the next one. */
  loop(node, detailed) {
    const known = node.turns === String(node.count);
    const words = known ? count(node.count, 'turn') : `${node.turns}: ${count(node.count, 'turn')}`;
    const most = node.stop === null ? words : `at most ${words}${node.stop}`;
    const group = new GraphItem('loop', `iterate ${most}`, 'loop');
    group.lines = node.lines;
    group.about = `repeats what is in it; ${node.turns} turns`;
    const entries = new Set(node.carried.map((one) => one.entry));
    this.region(node.nodes, group, detailed, entries);
    for (const one of node.carried) {
      if (one.initial !== null) group.reads.add(one.initial);
      if (one.result !== null) group.makes.add(one.result);
      if (one.entry === null || one.next === null || one.entry === one.next) continue;
      const next = this.arrayItem(one.next);
      next.makes.clear();
      next.reads.add(one.next);
      next.text = `${this.name(one.next)} becomes ${this.name(one.entry)}`;
      next.about = 'in the next turn';
      group.items.push(next);
    }
    return group;
  }

  /**
   * Boxes for what the group gets from outside. `entries`: of a loop, what a turn begins with;
   * other inputs of loops are boxes around it.
   */
  addArrays(group, entries) {
    const makers = new Set(group.items.flatMap((item) => [...item.makes]));
    const inputs = new Set();
    for (const item of group.items) {
      for (const version of item.reads)
        if (!makers.has(version)) inputs.add(version);
    }
    const shown = [...inputs].filter((version) => entries === null || entries.has(version));
    const arrays = shown.map((version) => this.arrayItem(version));
    for (const version of inputs)
      if (!entries?.has(version)) group.reads.add(version);
    for (const item of group.items)
      for (const version of item.makes) group.makes.add(version);
    group.items.unshift(...arrays);
  }

  build(detailed) {
    const root = new GraphItem('root', this.report.name, 'root');
    this.region(this.report.graph.nodes, root, detailed);
    for (const version of this.report.graph.outputs) {
      const item = this.arrayItem(version);
      item.makes.clear();
      item.reads.add(version);
      item.style = 'array output';
      item.text = `${item.text} (result)`;
      root.items.push(item);
    }
    return root;
  }
}

/** The items that make what each one reads. */
function edgesOf(items) {
  const makers = new Map();
  for (const item of items)
    for (const version of item.makes) makers.set(version, item);
  const edges = [];
  for (const item of items) {
    const seen = new Set();
    for (const version of item.reads) {
      const from = makers.get(version);
      if (from === undefined || from === item || seen.has(from)) continue;
      seen.add(from);
      edges.push({from, to: item});
    }
  }
  return edges;
}

/** Rows of items: each in the row after the last of what it reads; inputs just above their use. */
function rowsOf(items, edges) {
  const row = new Map(items.map((item) => [item, 0]));
  for (let turn = 0, moved = true; moved && turn <= items.length; turn += 1) {
    moved = false;
    for (const {from, to} of edges) {
      if (row.get(to) > row.get(from)) continue;
      row.set(to, row.get(from) + 1);
      moved = true;
    }
  }
  for (const item of items) {
    if (item.kind !== 'array' || edges.some((edge) => edge.to === item)) continue;
    const uses = edges.filter((edge) => edge.from === item).map((edge) => row.get(edge.to));
    if (uses.length > 0) row.set(item, Math.min(...uses) - 1);
  }
  const rows = [];
  for (const item of items) (rows[row.get(item)] ??= []).push(item);
  return rows.filter((each) => each !== undefined);
}

/** Sorts each row by the middle of what its items read, so that edges cross less. */
function sortRows(rows, edges) {
  const place = new Map();
  rows.forEach((row, n) => {
    const middle = (item) => {
      const sources = edges.filter((edge) => edge.to === item && place.has(edge.from));
      if (sources.length === 0) return place.size;
      return sources.reduce((sum, edge) => sum + place.get(edge.from), 0) / sources.length;
    };
    if (n > 0) {
      const keys = new Map(row.map((item) => [item, middle(item)]));
      row.sort((a, b) => keys.get(a) - keys.get(b));
    }
    row.forEach((item, at) => place.set(item, at - row.length / 2));
  });
}

/** Sizes and places of an item and all that it holds, relative to its own corner. */
function layOut(item) {
  const words = Math.min(item.text.length, 44) * GRAPH.letter + 2 * GRAPH.pad;
  if (item.items.length === 0) {
    item.width = Math.max(words, 54);
    item.height = 30;
    return;
  }
  item.items.forEach(layOut);
  item.edges = edgesOf(item.items);
  const rows = rowsOf(item.items, item.edges);
  sortRows(rows, item.edges);
  const widths =
      rows.map((row) => row.reduce((sum, each) => sum + each.width + GRAPH.gapX, -GRAPH.gapX));
  const inside = Math.max(...widths);
  item.width = Math.max(inside + 2 * GRAPH.pad, words);
  let y = GRAPH.head + GRAPH.pad;
  rows.forEach((row, n) => {
    let x = (item.width - widths[n]) / 2;
    const tallest = Math.max(...row.map((each) => each.height));
    for (const each of row) {
      each.x = x;
      each.y = y + (tallest - each.height) / 2;
      x += each.width + GRAPH.gapX;
    }
    y += tallest + GRAPH.gapY;
  });
  item.height = y - GRAPH.gapY + GRAPH.pad;
}

function edgePath({from, to}) {
  const [x1, y1] = [from.x + from.width / 2, from.y + from.height];
  const [x2, y2] = [to.x + to.width / 2, to.y];
  const bend = Math.max(14, (y2 - y1) / 2);
  const path = `M${round(x1)} ${round(y1)}C${round(x1)} ${round(y1 + bend)} ${round(x2)} ${
                   round(y2 - bend)} ` +
      `${round(x2)} ${round(y2 - 2)}`;
  return shape('path', {d: path, class: 'edge', 'marker-end': 'url(#arrow)'});
}

/** Long names are cut; their whole text is in the box's title. */
function shortened(text) { return text.length > 44 ? `${text.slice(0, 43)}…` : text; }

function drawItem(item, openKernel) {
  const parts = [];
  if (item.style !== 'root') {
    parts.push(rectangle(
        0, 0, item.width, item.height, `box ${item.style}`, {rx: item.kind === 'array' ? 15 : 4}));
    const middle = item.items.length === 0;
    parts.push(
        label(
            middle ? item.width / 2 : GRAPH.pad, middle ? item.height / 2 + 4 : 17,
            shortened(item.text), middle ? 'middle' : 'start'),
    );
  }
  for (const edge of item.edges ?? []) parts.push(edgePath(edge));
  for (const each of item.items) parts.push(drawItem(each, openKernel));
  const about = item.about === undefined ? null : shape('title', {}, `${item.text}. ${item.about}`);
  const group =
      shape('g', {transform: `translate(${round(item.x)} ${round(item.y)})`}, about, ...parts);
  if (item.kernel === null && item.lines === null) return group;
  return linkedItem(item, group, openKernel);
}

/** A statement leads to its line, a kernel to its pictures. */
function linkedItem(item, group, openKernel) {
  const target = item.kernel !== null ? `kernel-${item.kernel.number}` : `line-${item.lines[0]}`;
  const words =
      item.kernel !== null ? `kernel ${item.text}` : `${item.text}, line ${item.lines[0]}`;
  const inner =
      [...group.childNodes].filter((child) => child.nodeName === 'g' || child.nodeName === 'a');
  for (const child of inner) child.remove();
  const anchor = shape('a', {href: `#${target}`, 'aria-label': words});
  anchor.append(...group.childNodes);
  anchor.addEventListener('click', (event) => {
    event.preventDefault();
    if (item.kernel !== null) openKernel(item.kernel.number);
    jump(target);
  });
  group.append(anchor, ...inner);
  return group;
}

function statementCount(nodes) {
  return nodes.reduce(
      (sum, node) => sum + (node.kind === 'loop' ? statementCount(node.nodes) : 1), 0);
}

function graphFigure(report, openKernel) {
  const statements = statementCount(report.graph.nodes);
  const detailed = statements <= GRAPH.most;
  if (!detailed && report.kernels.length > GRAPH.most) {
    const text = `The program has ${count(statements, 'statement')} in ` +
        `${
                     count(
                         report.kernels.length,
                         'kernel')}: too many to draw. The tables below have all of them.`;
    return element('p', {class: 'note'}, text);
  }
  const root = new GraphBuilder(report).build(detailed);
  layOut(root);
  const arrow = shape(
      'marker',
      {
        id: 'arrow',
        viewBox: '0 0 8 8',
        refX: 7,
        refY: 4,
        markerWidth: 7,
        markerHeight: 7,
        orient: 'auto'
      },
      shape('path', {d: 'M0 0L8 4L0 8z', class: 'arrow'}),
  );
  const parts = [shape('defs', {}, arrow), drawItem(root, openKernel)];
  const description =
      `${count(statements, 'statement')} in ${count(report.kernels.length, 'kernel')}. ` +
      'Each statement leads to its line of the program, each kernel to its pictures.';
  const drawing =
      picture(root.width, root.height, 'Graph of the program', description, parts, true);
  const cut =
      detailed ? '' : ` There are ${count(statements, 'statement')}: only kernels are drawn.`;
  const unit = report.target === 'cpp' ? 'loop nest' : 'kernel';
  const caption =
      'From top to bottom. Round boxes are arrays, numbered by what was written to them: u.0 is what u holds at first. ' +
      `Shaded boxes are statements, the frames around them are what one ${unit} computes.${cut}`;
  return figure(drawing, caption);
}
