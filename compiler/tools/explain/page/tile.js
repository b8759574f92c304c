// A block's tile in the plane, to scale: what each array needs around what is stored, whose the
// points are, and how the need grows from level to level. Points are counted from the first that
// the block stores.

const PLANE = {
  width: 600,
  height: 360,
  left: 56,
  top: 34,
  right: 26,
  bottom: 40,
  least: 1.5,
  most: 18
};

/** The pairs of dimensions that are drawn: each that is not walked along, against the last. */
function planesOf(shape) {
  const last = shape.dimensions.length - 1;
  const others = shape.dimensions.map((_, d) => d).filter((d) => d !== last && d !== shape.stream);
  return others.length > 0 ? others.map((d) => [d, last]).reverse() : [[null, last]];
}

/** Where a thread is in its block, by dimension: the last runs fastest. */
function threadPlace(shape, thread) {
  const place = shape.dimensions.map(() => 0);
  let rest = thread;
  for (let d = shape.dimensions.length - 1; d >= 0; d -= 1) {
    place[d] = rest % shape.dimensions[d].threads;
    rest = Math.floor(rest / shape.dimensions[d].threads);
  }
  return place;
}

/** The points of a thread along a dimension, from the first that the block stores. */
function pointsAlong(dimension, thread) {
  const apart = dimension.apart ?? 1;
  const first = (apart > 1 ? thread : thread * dimension.points) - (dimension.halo?.[0] ?? 0);
  return Array.from({length: dimension.points}, (_, n) => first + n * apart);
}

function rangeText(points) {
  if (points.length === 1) return String(points[0]);
  const apart = points[1] - points[0];
  const last = points[points.length - 1];
  return apart === 1 ? `${points[0]} to ${last}` : `${points.slice(0, -1).join(', ')} and ${last}`;
}

function threadText(shape, thread) {
  const place = threadPlace(shape, thread);
  const parts = shape.dimensions.map(
      (dimension, d) => d === shape.stream ?
          null :
          `${dimension.iterator} ${rangeText(pointsAlong(dimension, place[d]))}`);
  const warp = `warp ${Math.floor(thread / 32)}, lane ${thread % 32}`;
  return `thread ${thread} (${warp}) has ${parts.filter((part) => part !== null).join(', ')}`;
}

class PlaneView {
  /** `shape`: dimensions with threads, points, stored and halo; `versions`: with halos. */
  constructor(shape, versions, [vertical, horizontal]) {
    Object.assign(this, {shape, versions, vertical, horizontal});
    const [x0, x1] = this.reach(horizontal);
    const [y0, y1] = vertical === null ? [0, 1] : this.reach(vertical);
    this.origin = [x0, y0];
    const room = Math.min(PLANE.width / (x1 - x0), PLANE.height / (y1 - y0));
    this.scale = Math.max(PLANE.least, Math.min(PLANE.most, room));
    this.size = [(x1 - x0) * this.scale, (y1 - y0) * this.scale];
    this.region = shapeLayer('region');
    this.mine = shapeLayer('mine');
    this.drawing = this.draw();
  }

  /** From the first to behind the last point of any array, or any thread. */
  reach(d) {
    const {stored, halo = [0, 0]} = this.shape.dimensions[d];
    const low = Math.max(halo[0], ...this.versions.map((each) => each.halo[d][0]));
    const high = Math.max(halo[1], ...this.versions.map((each) => each.halo[d][1]));
    return [-low, stored + high];
  }

  x(point) { return PLANE.left + (point - this.origin[0]) * this.scale; }
  y(point) { return PLANE.top + (point - this.origin[1]) * this.scale; }

  /** The rectangle of what is stored and so many points around it. */
  around(haloX, haloY, style) {
    const {stored} = this.shape.dimensions[this.horizontal];
    const rows = this.vertical === null ? 1 : this.shape.dimensions[this.vertical].stored;
    const [below, above] = this.vertical === null ? [0, 0] : haloY;
    return rectangle(
        this.x(-haloX[0]), this.y(-below), (stored + haloX[0] + haloX[1]) * this.scale,
        (rows + below + above) * this.scale, style);
  }

  haloOf(version, d) { return d === null ? [0, 0] : version.halo[d]; }

  threadLines() {
    const lines = [];
    const [top, bottom] = [this.y(this.origin[1]), this.y(this.origin[1]) + this.size[1]];
    const every = (d, add) => {
      if (d === null) return;
      const {threads, points, apart = 1, halo = [0, 0]} = this.shape.dimensions[d];
      const own = apart > 1 ? 1 : points;
      const total = threads * points;
      if (own * this.scale < 4) return;
      for (let at = 0; at <= total; at += own) add(at - halo[0], -halo[0], total - halo[0]);
    };
    const yEnds = this.vertical === null ? [top, bottom] : null;
    const other = this.vertical === null ? null : this.shape.dimensions[this.vertical];
    every(this.horizontal, (at) => {
      const from = yEnds ? yEnds[0] : this.y(-(other.halo?.[0] ?? 0));
      const to = yEnds ? yEnds[1] : this.y(other.threads * other.points - (other.halo?.[0] ?? 0));
      lines.push(line(this.x(at), from, this.x(at), to, 'thread'));
    });
    every(this.vertical, (at) => {
      const wide = this.shape.dimensions[this.horizontal];
      const from = -(wide.halo?.[0] ?? 0);
      lines.push(line(
          this.x(from), this.y(at), this.x(from + wide.threads * wide.points), this.y(at),
          'thread'));
    });
    return lines;
  }

  axes() {
    const parts = [];
    const wide = this.shape.dimensions[this.horizontal];
    const bottom = PLANE.top + this.size[1];
    const [x0, x1] = this.reach(this.horizontal);
    for (const at of new Set([x0, 0, wide.stored, x1])) {
      parts.push(line(this.x(at), bottom, this.x(at), bottom + 5, 'axis'));
    }
    parts.push(label(
        this.x(wide.stored / 2), bottom + 18, `${wide.iterator}: ${wide.stored} stored`, 'middle'));
    if (x0 < 0) parts.push(label(this.x(x0 / 2), bottom + 33, String(-x0), 'middle', 'small'));
    if (x1 > wide.stored) {
      parts.push(label(
          this.x((wide.stored + x1) / 2), bottom + 33, String(x1 - wide.stored), 'middle',
          'small'));
    }
    if (this.vertical === null) return parts;
    const tall = this.shape.dimensions[this.vertical];
    const [y0, y1] = this.reach(this.vertical);
    const middle = this.y(tall.stored / 2);
    if (this.size[1] < 80) {
      parts.push(label(PLANE.left - 8, middle + 4, `${tall.iterator}: ${tall.stored}`, 'end'));
      return parts;
    }
    parts.push(shape(
        'text', {
          transform: `translate(${PLANE.left - 12} ${round(middle)}) rotate(-90)`,
          'text-anchor': 'middle',
        },
        `${tall.iterator}: ${tall.stored} stored`));
    if (y0 < 0) parts.push(label(PLANE.left - 26, this.y(y0 / 2) + 4, String(-y0), 'end', 'small'));
    if (y1 > tall.stored) {
      parts.push(label(
          PLANE.left - 26, this.y((tall.stored + y1) / 2) + 4, String(y1 - tall.stored), 'end',
          'small'));
    }
    return parts;
  }

  draw() {
    const halos = [...this.versions].map(
        (each) => [this.haloOf(each, this.horizontal), this.haloOf(each, this.vertical)]);
    const area = ([x, y]) => x[0] + x[1] + y[0] + y[1];
    halos.sort((a, b) => area(b) - area(a));
    const regions =
        halos.filter((each) => area(each) > 0).map(([x, y]) => this.around(x, y, 'halo'));
    const stored = [this.around([0, 0], [0, 0], 'stored')];
    const width = PLANE.left + this.size[0] + PLANE.right;
    const height = PLANE.top + this.size[1] + PLANE.bottom;
    const names = [this.vertical, this.horizontal]
                      .filter((d) => d !== null)
                      .map((d) => this.shape.dimensions[d]);
    const sizes = names.map((each) => `${each.stored} points along ${each.iterator}`).join(' and ');
    return picture(
        width, height, `Tile in the plane of ${names.map((each) => each.iterator).join(' and ')}`,
        `Drawn to scale: a block stores ${sizes}; frames around that are the halos of its arrays.`,
        [
          ...regions,
          ...stored,
          this.region,
          ...this.threadLines(),
          this.mine,
          this.around([0, 0], [0, 0], 'stored outline'),
          ...this.axes(),
        ]);
  }

  /** Marks what an operation is about: `halos` by dimension, null for nothing. */
  markRegion(halos, style) {
    this.region.replaceChildren();
    if (halos === null) return;
    const vertical = this.vertical === null ? [0, 0] : halos[this.vertical];
    this.region.append(this.around(halos[this.horizontal], vertical, `active ${style}`));
  }

  markThread(thread) {
    const place = threadPlace(this.shape, thread);
    const across = pointsAlong(this.shape.dimensions[this.horizontal], place[this.horizontal]);
    const down = this.vertical === null ?
        [0] :
        pointsAlong(this.shape.dimensions[this.vertical], place[this.vertical]);
    const cells = down.flatMap(
        (y) => across.map((x) => rectangle(this.x(x), this.y(y), this.scale, this.scale, 'own')));
    this.mine.replaceChildren(...cells);
  }
}

function shapeLayer(style) { return shape('g', {class: style}); }

/** What one block needs of each array along a dimension, the loaded ones at the bottom. */
function coneDrawing(tile, d) {
  const {stored, iterator} = tile.dimensions[d];
  const low = Math.max(...tile.versions.map((each) => each.halo[d][0]));
  const high = Math.max(...tile.versions.map((each) => each.halo[d][1]));
  const left = 110;
  const room = 330;
  const row = 26;
  const scale = room / (stored + low + high);
  const x = (point) => left + (point + low) * scale;
  const parts = [];
  const rows = [...tile.versions].reverse();
  rows.forEach((version, n) => {
    const [before, after] = version.halo[d];
    const y = 8 + n * row;
    parts.push(rectangle(
        x(-before), y, (stored + before + after) * scale, row - 6,
        version.loaded ? 'bar loaded' : 'bar'));
    parts.push(label(left - 10, y + 14, shortened(version.name), 'end'));
    const points = grouped(stored + before + after);
    parts.push(label(
        x(stored / 2), y + 14,
        `${points}${before + after > 0 ? ` = ${before} + ${stored} + ${after}` : ''}`, 'middle'));
  });
  const bottom = 8 + rows.length * row;
  parts.push(
      line(x(0), 2, x(0), bottom, 'edge-of-tile'),
      line(x(stored), 2, x(stored), bottom, 'edge-of-tile'));
  parts.push(label(x(stored / 2), bottom + 16, `points along ${iterator}`, 'middle'));
  const words =
      rows.map((each) => `${each.name}: ${stored + each.halo[d][0] + each.halo[d][1]} points`)
          .join('; ');
  return picture(
      left + room + 20, bottom + 26, `What a block needs along ${iterator}`, `To scale. ${words}.`,
      parts);
}

/** An operation of a tile's step in words. */
function operationText(tile, operation) {
  const version = operation.version === null ? null : tile.versions[operation.version];
  const what = tile.stream === null ? 'its part' : 'the newest plane';
  switch (operation.kind) {
    case 'load':
      return version.async ? `start to copy the next plane of ${version.name} into shared memory` :
                             `load ${what} of ${version.name} from memory into registers`;
    case 'load rim':
      return `load what of ${version.name} lies around the threads' points`;
    case 'arrive':
      return 'wait for copies that are on their way';
    case 'publish':
      return `put ${
          tile.stream === null ?
              version.name :
              `a plane of ${version.name}`} into shared memory, for other threads`;
    case 'compute':
      return `compute ${what} of ${version.name}`;
    case 'store':
      return `store ${what} of ${version.name} to memory`;
    default:
      return 'wait until all threads of the block are here';
  }
}

/** How far around the stored points an operation reaches, by dimension; null for none. */
function operationHalos(tile, operation) {
  if (operation.version === null) return null;
  const version = tile.versions[operation.version];
  if (operation.kind === 'store') return tile.dimensions.map(() => [0, 0]);
  if (operation.kind === 'load' && version.rim !== null) {
    return version.halo.map(
        (halo, d) =>
            [Math.min(halo[0], tile.dimensions[d].halo[0]),
             Math.min(halo[1], tile.dimensions[d].halo[1])]);
  }
  return version.halo;
}

/** `2 planes of u.1 in registers (age 1), 1 in shared memory (age 2)` */
function readsText(tile, operation) {
  if (operation.operator === null) return '';
  const groups = new Map();
  for (const read of tile.operators[operation.operator].reads) {
    const path = read.path === 'register' ? 'registers' :
        read.path === 'shuffle'           ? 'shuffles' :
                                            read.path;
    const key = `${tile.versions[read.version].name} from ${path}`;
    groups.set(key, (groups.get(key) ?? 0) + 1);
  }
  const parts = [...groups].map(([key, number]) => `${number} of ${key}`);
  return parts.length === 0 ? '' : `; a thread reads ${listed(parts)}`;
}
