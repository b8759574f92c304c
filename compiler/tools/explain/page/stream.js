// A walk along a stream: which planes of each array are held where, step by step. Planes are
// counted from the first that the block stores.

const STREAM = {
  cell: 40,
  row: 34,
  left: 130,
  top: 34,
  ahead: 3,
  behind: 40
};

/** What is walked through: `planes` that a block stores, and its arrays with their lags. */
class Walk {
  constructor(iterator, planes, before, after, versions, stores) {
    Object.assign(this, {iterator, planes, before, after, versions, stores});
    const oldest = Math.max(...versions.map((each) => each.lag + each.planes.length));
    this.behind = Math.min(STREAM.behind, oldest + 3);
  }

  /** What becomes of a plane: its letters, a style, and words for it. */
  state(index, plane, step) {
    const version = this.versions[index];
    const age = step - version.lag - plane;
    const [low, high] = version.along;
    if (plane < -low || plane >= this.planes + high)
      return {text: '', style: 'unused', words: 'not needed'};
    if (age < 0) {
      return version.loaded ? {text: '', style: 'waiting', words: 'still in memory'} :
                              {text: '', style: 'unmade', words: 'not computed yet'};
    }
    if (version.async && age === 0)
      return {text: '→', style: 'arriving', words: 'on its way to shared memory'};
    const place = version.planes[age];
    if (place !== undefined && (place.registers || place.shared)) {
      if (place.registers && place.shared)
        return {text: 'R S', style: 'both', words: 'in registers and shared memory'};
      return place.registers ? {text: 'R', style: 'registers', words: 'in registers'} :
                               {text: 'S', style: 'shared', words: 'in shared memory'};
    }
    const written = this.stores.includes(index) && plane >= 0 && plane < this.planes;
    if (written) return {text: 'M', style: 'memory', words: 'stored to memory'};
    return {text: '', style: 'gone', words: 'forgotten'};
  }

  /** What the step makes: `loads plane 4 of u.0; computes plane 3 of v.1`. */
  stepText(step) {
    const planes = (indices, low, high) => {
      const names = new Map();
      for (const n of indices) {
        const version = this.versions[n];
        const plane = step - version.lag;
        if (plane < -low(version) || plane >= this.planes + high(version)) continue;
        if (!names.has(plane)) names.set(plane, []);
        names.get(plane).push(version.name);
      }
      return listed([...names].map(([plane, each]) => `plane ${plane} of ${each.join(', ')}`));
    };
    const all = this.versions.map((_, n) => n);
    const made = (loaded) => planes(
        all.filter((n) => this.versions[n].loaded === loaded), (version) => version.along[0],
        (version) => version.along[1]);
    const parts =
        [
          ['loads', made(true)], ['computes', made(false)],
          ['stores', planes(this.stores, () => 0, () => 0)]
        ].filter(([, text]) => text !== '')
            .map(([verb, text]) => `${verb} ${text}`);
    return `step ${step} ${parts.length > 0 ? parts.join('; ') : 'only waits'}`;
  }
}

class StreamView {
  constructor(walk) {
    this.walk = walk;
    this.frame = element('div');
  }

  /** `reads`: of the operation that is looked at, pairs of a version and an age. */
  update(step, reads = []) {
    const {walk} = this;
    const first = step - walk.behind;
    const columns = walk.behind + STREAM.ahead + 1;
    const x = (plane) => STREAM.left + (plane - first) * STREAM.cell;
    const parts = [];
    for (let plane = first; plane < first + columns; plane += 1) {
      const inside = plane >= 0 && plane < walk.planes;
      parts.push(label(
          x(plane) + STREAM.cell / 2, STREAM.top - 10, String(plane).replace('-', '−'), 'middle',
          inside ? '' : 'faint-text'));
    }
    const words = [];
    walk.versions.forEach((version, n) => {
      const y = STREAM.top + n * STREAM.row;
      parts.push(label(STREAM.left - 10, y + 20, shortened(version.name), 'end'));
      for (let plane = first; plane < first + columns; plane += 1) {
        const {text, style, words: said} = walk.state(n, plane, step);
        parts.push(
            rectangle(x(plane) + 1.5, y + 1.5, STREAM.cell - 3, STREAM.row - 5, `plane ${style}`));
        if (text)
          parts.push(label(x(plane) + STREAM.cell / 2, y + 20, text, 'middle', `on-${style}`));
        if (text) words.push(`plane ${plane} of ${version.name} is ${said}`);
        const isRead =
            reads.some((read) => read.version === n && step - version.lag - read.age === plane);
        if (isRead)
          parts.push(rectangle(x(plane) + 1.5, y + 1.5, STREAM.cell - 3, STREAM.row - 5, 'read'));
      }
    });
    const bottom = STREAM.top + walk.versions.length * STREAM.row;
    const at = x(step) + STREAM.cell / 2;
    parts.push(line(at, bottom + 2, at, bottom + 12, 'axis'));
    parts.push(label(at, bottom + 26, `step ${step}`, 'middle'));
    parts.push(label(STREAM.left, bottom + 26, `planes along ${walk.iterator} →`));
    const width = STREAM.left + columns * STREAM.cell + 10;
    const title = `Planes held in step ${step} of the walk along ${walk.iterator}`;
    this.frame.replaceChildren(picture(width, bottom + 36, title, `${words.join('; ')}.`, parts));
  }
}

/** The walk of a tile's block. Requires: it has a stream. */
function tileWalk(tile) {
  const dimension = tile.dimensions[tile.stream];
  const versions = tile.versions.map((each) => ({...each, along: each.halo[tile.stream]}));
  return new Walk(
      dimension.iterator, dimension.stored, tile.steps_before, tile.steps_after, versions,
      tile.stores.map((each) => each.version));
}

/** The walk of threads that keep windows of planes in registers. */
function windowWalk(threads, result) {
  const dimension = threads.dimensions[threads.stream];
  const held = threads.windows.map(
      (each) => ({
        name: `${each.name}${each.base.some((c) => c !== 0) ? ` at ${each.base.join(',')}` : ''}`,
        loaded: true,
        async: false,
        lag: -each.last,
        along: [-each.first, each.last],
        planes: Array.from(
            {length: each.last - each.first + 1}, () => ({registers: true, shared: false})),
      }));
  const made = {
    name: result,
    loaded: false,
    async: false,
    lag: 0,
    along: [0, 0],
    planes: [{registers: true, shared: false}]
  };
  return new Walk(dimension.iterator, dimension.stored, 0, 0, [...held, made], [held.length]);
}

const STREAM_KEY = [
  ['registers', 'R', 'in registers of the threads'], ['shared', 'S', 'in shared memory'],
  ['both', 'R S', 'in both'], ['arriving', '→', 'on its way'], ['memory', 'M', 'stored to memory'],
  ['waiting', '', 'not loaded yet'], ['unmade', '', 'not computed yet'], ['gone', '', 'forgotten']
];

function streamKey() {
  return element('ul', {class: 'key'}, ...STREAM_KEY.map(([style, text, words]) => {
    const sample = shape(
        'svg', {width: 34, height: 22, 'aria-hidden': 'true'},
        rectangle(1, 1, 32, 20, `plane ${style}`), label(17, 16, text, 'middle', `on-${style}`));
    return element('li', {}, sample, ` ${words}`);
  }));
}
