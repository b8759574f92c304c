// Time loops on a CPU: in tiles of several turns, or why not.

const BAND = {
  width: 600,
  height: 260,
  left: 56,
  top: 16,
  bottom: 40
};

/** Tiles of a time loop, in the plane of turns and the first iterator. */
class BandView {
  constructor(band, turns) {
    this.band = band;
    this.slope = band.outer.slope;
    const grid = band.dimensions[0].grid;
    this.points = grid === null ? 0 : grid[1] - grid[0] + 1;
    this.size = band.tiles === null ? 16 * this.slope : this.points / band.tiles;
    this.width = Math.min(this.points, 5 * this.size);
    this.allTurns = turns;
    this.turns = Math.min(turns, Math.ceil((1.75 * this.size) / this.slope));
    this.frame = element('div');
  }

  x(place) { return BAND.left + (place / this.width) * BAND.width; }
  y(turn) { return BAND.top + BAND.height - (turn / this.turns) * BAND.height; }
  lastWave() { return Math.floor((2 * this.slope * (this.turns - 1)) / this.size); }

  /**
   * The corners of tile (left, right): u = slope t + x and v = slope t - x are between multiples
   * of the size, which programs round to whole points.
   */
  corners(left, right) {
    const corner = (u, v) =>
        `${round(this.x((u - v) / 2))},${round(this.y((u + v) / (2 * this.slope)))}`;
    const [u, v, b] = [left * this.size, right * this.size, this.size];
    return [corner(u, v), corner(u + b, v), corner(u + b, v + b), corner(u, v + b)].join(' ');
  }

  update(wave) {
    const clip = freshId('clip');
    const tiles = [];
    const most = Math.ceil((this.width + this.slope * this.turns) / this.size);
    for (let left = -1; left <= most; left += 1) {
      for (let sum = -1; sum <= this.lastWave(); sum += 1) {
        const state = sum < wave ? 'done' : sum === wave ? 'now' : 'later';
        tiles.push(
            shape('polygon', {points: this.corners(left, sum - left), class: `diamond ${state}`}));
      }
    }
    const frame = rectangle(BAND.left, BAND.top, BAND.width, BAND.height, 'frame');
    const window =
        shape('clipPath', {id: clip}, rectangle(BAND.left, BAND.top, BAND.width, BAND.height, ''));
    const {iterator} = this.band.dimensions[0];
    const bottom = BAND.top + BAND.height;
    const parts = [
      shape('defs', {}, window),
      shape('g', {'clip-path': `url(#${clip})`}, ...tiles),
      frame,
      label(
          BAND.left + BAND.width / 2, bottom + 30,
          `${iterator} → (${grouped(this.width)} of ${count(this.points, 'point')})`, 'middle'),
      label(BAND.left - 8, BAND.top + 12, String(this.turns), 'end'),
      label(BAND.left - 8, bottom, '0', 'end'),
      shape(
          'text', {
            transform: `translate(18 ${BAND.top + BAND.height / 2}) rotate(-90)`,
            'text-anchor': 'middle'
          },
          'turns t →'),
      label(BAND.left, bottom + 14, '0', 'middle'),
      label(BAND.left + BAND.width, bottom + 14, grouped(this.width), 'middle'),
    ];
    const title = `Tiles in turns and ${iterator}, wavefront ${wave}`;
    this.frame.replaceChildren(picture(
        BAND.left + BAND.width + 24, bottom + BAND.bottom, title,
        `Diamonds ${round(this.size)} points wide at their middle. ${this.text(wave)}.`, parts));
  }

  text(wave) {
    const begin = Math.max(0, Math.ceil((wave * this.size) / (2 * this.slope)));
    const end =
        Math.min(this.allTurns - 1, Math.floor(((wave + 2) * this.size - 2) / (2 * this.slope)));
    return `wavefront ${wave}: threads compute the marked tiles at the same time, turns ${
        begin} to ${end}`;
  }
}

/** Strips that cross a diamond, in the plane of turns and the second iterator. */
function stripDrawing(band, size, strip) {
  const {iterator} = band.dimensions[1];
  const {slope} = band.inner;
  const turns = Math.ceil(size / band.outer.slope);
  const points = 3 * strip;
  const x = (place) => BAND.left + (place / points) * BAND.width;
  const height = 150;
  const y = (turn) => BAND.top + height - (turn / turns) * height;
  const clip = freshId('clip');
  const parts = [];
  const last = Math.floor((points + slope * turns) / strip);
  for (let n = 0; n <= last; n += 1) {
    const at = (turn, end) => `${round(x((n + end) * strip - slope * turn))},${round(y(turn))}`;
    const corners = [at(0, 0), at(0, 1), at(turns, 1), at(turns, 0)].join(' ');
    parts.push(
        shape('polygon', {points: corners, class: `diamond ${n % 2 === 0 ? 'later' : 'done'}`}));
    parts.push(
        label(x((n + 0.5) * strip - (slope * turns) / 2), y(turns / 2) + 4, String(n), 'middle'));
  }
  const window =
      shape('clipPath', {id: clip}, rectangle(BAND.left, BAND.top, BAND.width, height, ''));
  const all = [
    shape('defs', {}, window), shape('g', {'clip-path': `url(#${clip})`}, ...parts),
    rectangle(BAND.left, BAND.top, BAND.width, height, 'frame'),
    label(
        BAND.left + BAND.width / 2, BAND.top + height + 20, `${iterator} → (strips of ${strip})`,
        'middle'),
    shape(
        'text',
        {transform: `translate(18 ${BAND.top + height / 2}) rotate(-90)`, 'text-anchor': 'middle'},
        'turns t →')
  ];
  return picture(
      BAND.left + BAND.width + 24, BAND.top + height + 30,
      `Strips along ${iterator} that cross each tile`,
      `Parallelograms ${strip} wide that lean by ${
          slope} a turn; a tile computes them in the order of their numbers.`,
      all);
}

/** Loops that run in tiles of several turns, or the reason why they do not. */
function bandParts(report, steps, parts = []) {
  for (const step of steps) {
    if (step.kind !== 'repeat') continue;
    bandParts(report, step.body, parts);
    if (step.no_band)
      parts.push(element(
          'p', {}, `The loop over ${step.turns} turns runs turn by turn: ${step.no_band}.`));
    if (!step.band) continue;
    parts.push(...bandFigures(report, step));
  }
  return parts;
}

function bandFigures(report, step) {
  const {band} = step;
  const view = new BandView(band, step.count);
  const names = band.launches.map((id) => report.kernels[id].name);
  const chosen = band.turns_of_tile !== null ?
      `Tiles span ${count(band.turns_of_tile, 'turn')}, as the options say.` :
      band.tiles !== null ?
      `On ${report.device.model} the program would choose ${
          count(band.tiles, 'tile')} side by side at these sizes, up to ${
          band.width} wide; it chooses when it runs, by the caches of its machine.` :
      'At these sizes the loop runs turn by turn, since its arrays fit into caches, or its turns are too few; tiles of larger arrays would look so.';
  const shifted =
      names.length > 1 ? ' The points of each loop nest may be shifted against the others.' : '';
  const looks =
      step.stops_early ? ' No tile spans a look at the condition that ends the loop.' : '';
  const slopes =
      ` Tiles lean by ${band.outer.slope} in each turn, as far as the statements reach. ` +
      'The predicted times on this page are those of single turns.';
  const [first, second] = band.dimensions;
  const wraps = [];
  if (first.around)
    wraps.push(`the tiles of a wavefront close a ring, since both ends of ${
        first.iterator} are neighbours`);
  if (second?.around)
    wraps.push(`strips of ${second.iterator} begin further right in each turn, and go around`);
  const ring = wraps.length > 0 ? ` The arrays wrap around: ${wraps.join('; ')}.` : '';
  const waves = slider('Wavefront', -1, Math.max(0, view.lastWave()), 0, (wave) => {
    view.update(wave);
    return view.text(wave);
  }, 'of-waves');
  waves.move();
  const parts = [
    element('h3', {}, `The loop over ${step.turns} turns`),
    element(
        'p', {},
        `Its turns run in tiles of several turns (${listed(names)}). ${chosen}${slopes}${shifted}${
            ring}`),
    waves.control,
    figure(
        view.frame,
        'Each diamond is one tile: a thread computes all its turns while its rows stay in the thread\'s cache. Shaded tiles are done.')
  ];
  if (band.inner !== null) {
    const strip = band.strip ?? 2 * view.size;
    parts.push(figure(
        stripDrawing(band, view.size, strip),
        'Along the second iterator each tile is computed in strips, from low to high; they lean as well.'));
  }
  return parts;
}
