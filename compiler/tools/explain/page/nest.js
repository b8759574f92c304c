// Loops on a CPU: which thread has which rows, what a turn of the loops computes, what stays in the
// caches.

const NEST = {
  width: 460,
  height: 240,
  left: 60,
  top: 24
};

/** The rows of each thread: equal parts, as OpenMP's static schedule has them. */
function rowsOfThread(rows, threads, thread) {
  const part = Math.floor(rows / threads);
  const rest = rows % threads;
  const first = thread * part + Math.min(thread, rest);
  return [first, part + (thread < rest ? 1 : 0)];
}

class NestView {
  constructor(nest, reach) {
    this.nest = nest;
    this.reach = reach;  // rows that are read below and above a row
    this.outer = nest.dimensions[0];
    this.inner = nest.dimensions[nest.dimensions.length - 1];
    this.rows = this.outer.grid === null ? 0 : this.outer.grid[1] - this.outer.grid[0] + 1;
    this.threads = Math.max(1, Math.min(nest.threads, this.rows));
    this.frame = element('div');
  }

  /** The most rows that a thread has, in turns of the outermost loop. */
  turns() {
    return Math.max(1, Math.ceil(rowsOfThread(this.rows, this.threads, 0)[1] / this.outer.points));
  }

  update(turn) {
    const single = this.nest.dimensions.length === 1;
    const height = single ? 60 : NEST.height;
    const scale = (single ? NEST.width : height) / Math.max(1, this.rows);
    const place = (first, rows, style) => single ?
        rectangle(NEST.left + first * scale, NEST.top, Math.max(1.5, rows * scale), height, style) :
        rectangle(
            NEST.left, NEST.top + first * scale, NEST.width, Math.max(1.5, rows * scale), style);
    const parts = [];
    for (let thread = 0; thread < this.threads; thread += 1) {
      const [first, rows] = rowsOfThread(this.rows, this.threads, thread);
      parts.push(place(first, rows, thread % 2 === 0 ? 'part' : 'part odd'));
      const done = Math.min(rows, turn * this.outer.points);
      if (done > 0) parts.push(place(first, done, 'done'));
      const now = Math.min(this.outer.points, rows - done);
      if (now <= 0) continue;
      const low = Math.max(0, first + done - this.reach[0]);
      parts.push(place(low, Math.min(this.rows, first + done + now + this.reach[1]) - low, 'used'));
      parts.push(place(first + done, now, 'now'));
      const middle = first + rows / 2;
      const words = `thread ${thread}`;
      if (rows * scale > 14 && !single)
        parts.push(label(NEST.left + NEST.width + 8, NEST.top + middle * scale + 4, words));
      if (single && rows * scale > 60)
        parts.push(label(NEST.left + middle * scale, NEST.top + height / 2 + 4, words, 'middle'));
    }
    parts.push(rectangle(NEST.left, NEST.top, NEST.width, height, 'frame'));
    if (!single) {
      parts.push(...this.tiles(height));
      parts.push(
          label(NEST.left + NEST.width / 2, NEST.top - 8, `${this.inner.iterator} →`, 'middle'));
      parts.push(label(NEST.left - 10, NEST.top + 14, `${this.outer.iterator} ↓`, 'end'));
    } else {
      parts.push(
          label(NEST.left + NEST.width / 2, NEST.top - 8, `${this.outer.iterator} →`, 'middle'));
    }
    const title = `Rows of ${this.outer.iterator} that the threads compute`;
    const words = `${count(this.rows, 'row')}, ${count(this.threads, 'thread')}; turn ${
        turn} of the outermost loop.`;
    this.frame.replaceChildren(
        picture(NEST.left + NEST.width + 90, NEST.top + height + 12, title, words, parts));
  }

  /** Lines between the tiles of the last iterator. */
  tiles(height) {
    if (this.inner.tile === 0 || this.inner.grid === null) return [];
    const points = this.inner.grid[1] - this.inner.grid[0] + 1;
    const lines = [];
    for (let at = this.inner.tile; at < points && lines.length < 200; at += this.inner.tile) {
      const x = NEST.left + (at / points) * NEST.width;
      lines.push(line(x, NEST.top, x, NEST.top + height, 'thread'));
    }
    return lines;
  }

  text(turn) {
    const [first, rows] = rowsOfThread(this.rows, this.threads, 0);
    const begin = this.outer.grid[0] + first + turn * this.outer.points;
    const end = Math.min(begin + this.outer.points, this.outer.grid[0] + first + rows) - 1;
    return `thread 0 computes ${this.outer.iterator} = ${
        begin === end ? begin : `${begin} to ${end}`}`;
  }
}

/** What one turn of the innermost loops computes: points, and the lanes of vectors. */
function turnDrawing(nest) {
  const dimensions = nest.dimensions;
  const rows = dimensions.length > 1 ? dimensions[dimensions.length - 2].points : 1;
  const lanes = nest.vectors ? nest.lanes : 1;
  const columns = dimensions[dimensions.length - 1].points * lanes;
  const cell = Math.max(10, Math.min(30, 560 / columns));
  const parts = [];
  for (let y = 0; y < rows; y += 1) {
    for (let x = 0; x < columns; x += 1) {
      const vector = Math.floor(x / lanes);
      parts.push(rectangle(
          20 + x * cell, 20 + y * cell, cell - 2, cell - 2,
          (vector + y) % 2 === 0 ? 'cell' : 'cell odd'));
      if (lanes > 1 && cell >= 16)
        parts.push(label(
            20 + x * cell + cell / 2 - 1, 20 + y * cell + cell / 2 + 3, String(x % lanes), 'middle',
            'small'));
    }
  }
  const words = nest.vectors ?
      `${rows} by ${columns / lanes} vectors of ${count(lanes, 'lane')}; numbers are lanes.` :
      `${rows} by ${
          columns} points, one after the other; the compiler makes vectors of them as it sees fit.`;
  return picture(
      40 + columns * cell, 34 + rows * cell, 'Points of one turn of the loops', words, parts);
}
