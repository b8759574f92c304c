// What is told of one kernel: its pictures, with sliders, and its tables.

/** The offsets that a statement reads of one array, seen from its own point. */
function footprint(iterators, offsets) {
  const fixed = offsets.map((offset) => offset.map((each) => each ?? 0));
  const last = iterators.length - 1;
  const across = fixed.map((offset) => offset[last]);
  const down = fixed.map((offset) => (last > 0 ? offset[last - 1] : 0));
  const planes =
      [...new Set(fixed.map((offset) => (last > 1 ? offset[last - 2] : 0)))].sort((a, b) => a - b);
  const [x0, x1] = [Math.min(0, ...across), Math.max(0, ...across)];
  const [y0, y1] = [Math.min(0, ...down), Math.max(0, ...down)];
  const cell = 14;
  const wide = (x1 - x0 + 1) * cell;
  const parts = [];
  planes.slice(0, 9).forEach((plane, n) => {
    const left = 6 + n * (wide + 16);
    for (let y = y0; y <= y1; y += 1) {
      for (let x = x0; x <= x1; x += 1) {
        const read = fixed.some(
            (offset) => offset[last] === x && (last < 1 || offset[last - 1] === y) &&
                (last < 2 || offset[last - 2] === plane));
        const own = x === 0 && y === 0 && plane === 0;
        const style = `foot${read ? ' read-here' : ''}${own ? ' own-point' : ''}`;
        parts.push(
            rectangle(left + (x - x0) * cell, 6 + (y - y0) * cell, cell - 2, cell - 2, style));
      }
    }
    if (planes.length > 1) {
      const name = `${iterators[last - 2]}${
          plane === 0   ? '' :
              plane > 0 ? ` + ${plane}` :
                          ` − ${- plane}`}`;
      parts.push(label(left + wide / 2, 6 + (y1 - y0 + 1) * cell + 12, name, 'middle', 'small'));
    }
  });
  const width = Math.max(30, 12 + Math.min(planes.length, 9) * (wide + 16) - 16);
  const words = fixed.map((offset) => `(${offset.join(', ')})`).join(' ');
  return picture(
      width + 14, 12 + (y1 - y0 + 1) * cell + (planes.length > 1 ? 16 : 0),
      'Elements that are read', `Distances from the point: ${words}.`, parts);
}

function statementsOf(nodes, found = new Map()) {
  for (const node of nodes) {
    if (node.kind === 'loop')
      statementsOf(node.nodes, found);
    else
      found.set(node.id, node);
  }
  return found;
}

class KernelPanel {
  constructor(report, kernel, statements, names) {
    Object.assign(this, {report, kernel, names});
    this.statements = kernel.operators.map((id) => statements.get(id));
    this.start = [];
    this.node = element('section', {
      id: `kernel-${kernel.number}`,
      class: 'panel',
      role: 'tabpanel',
      'aria-labelledby': `tab-${kernel.number}`
    });
    this.filled = false;
  }

  fill() {
    if (this.filled) return;
    this.filled = true;
    const {kernel} = this;
    this.node.append(element('h3', {}, `${kernel.number} ${kernel.name}`), this.facts());
    if (this.dimensions().length === 0 && kernel.mapping !== 'reduction')
      this.node.append(element('p', {}, 'It computes a single point.'));
    else if (kernel.tile)
      this.tile(kernel.tile);
    else if (kernel.threads)
      this.threads(kernel.threads);
    else if (kernel.nest)
      this.nest(kernel.nest);
    if (kernel.mapping === 'reduction') this.reduction();
    this.footprints();
    this.times();
    for (const move of this.start) move();
  }

  dimensions() {
    const {tile, threads, nest, matrix} = this.kernel;
    return (tile ?? threads ?? nest ?? matrix)?.dimensions ?? [];
  }

  facts() {
    const {kernel} = this;
    const facts = [
      ['computes', kernel.computes],
      ['launched', kernel.launches === 0 ? 'not with these sizes' : times(kernel.launches)]
    ];
    if (kernel.matrix) facts.push(['a matrix tile', kernel.matrix.text]);
    if (kernel.seconds !== null)
      facts.push(['a launch takes', `${time(kernel.seconds)}, limited by ${kernel.limit}`]);
    if (kernel.traffic) {
      const {traffic, occupancy} = kernel;
      facts.push(
          ['threads', `${count(traffic.blocks, 'block')} of ${count(traffic.threads, 'thread')}`]);
      const {points, bytes, least_bytes: least} = kernel.roofline;
      const asked = digits((traffic.load_bytes + traffic.store_bytes) / points);
      const moved = digits(bytes / points);
      const needed = digits(least / points);
      const words =
          `${asked} asked for by threads, ${moved} from and to memory, at least ${needed}`;
      facts.push(['bytes of a point', words]);
      const blocks = count(occupancy.blocks, 'block');
      const warps = `${occupancy.warps} of ${count(occupancy.most_warps, 'warp')}`;
      const registers = `about ${count(occupancy.registers, 'register')} a thread`;
      const limit = `more do not fit by ${occupancy.limit}`;
      facts.push(['on a multiprocessor', `${blocks}, ${warps}; ${limit}; ${registers}`]);
    } else if (kernel.roofline) {
      facts.push([
        'bytes of a point',
        `${digits(kernel.roofline.bytes / kernel.roofline.points)} out of memory and back`
      ]);
    }
    return factList(facts);
  }

  /** A slider over the block's threads. */
  threadSlider(shape, views) {
    const most = shape.dimensions.reduce((product, each) => product * each.threads, 1) - 1;
    const mover = slider('Thread', 0, most, Math.min(most, Math.floor(most / 2)), (thread) => {
      for (const view of views) view.markThread(thread);
      return threadText(shape, thread);
    }, 'of-threads');
    this.start.push(mover.move);
    return mover.control;
  }

  tile(tile) {
    const views = planesOf(tile).map((pair) => new PlaneView(tile, tile.versions, pair));
    const walk = tile.stream === null ? null : tileWalk(tile);
    const stream = walk === null ? null : new StreamView(walk);
    const flat = tile.dimensions.filter((_, d) => d !== tile.stream);
    const stored = flat.map((each) => `${each.stored} of ${each.computed} along ${each.iterator}`);
    this.node.append(element('h4', {}, 'The tile of a block'));
    this.node.append(element(
        'p', {},
        `Of the points that its threads compute, a block stores ${
            listed(stored)}. The others are ` +
            'its halo: blocks beside it store them. ' +
            `Each of its ${count(tile.threads, 'thread')} has ${count(tile.points, 'point')}. ` +
            `${
                tile.shared_bytes > 0 ?
                    `Planes in shared memory take ${count(tile.shared_bytes, 'byte')}. ` :
                    ''}` +
            `${tile.shuffle ? 'Neighbours in a row exchange values by shuffles. ' : ''}` +
            `${walk === null ? '' : this.walkText(tile)}`));
    const state = {
      step: walk === null ? 0 : Math.min(walk.planes - 1, walk.after + 3),
      operation: Math.max(0, tile.steps.findIndex((each) => each.kind === 'compute')),
    };
    const list = element(
        'ol', {class: 'operations'},
        ...tile.steps.map((each) => element('li', {}, operationText(tile, each))));
    const show = () => {
      const operation = tile.steps[state.operation];
      [...list.children].forEach((item, n) => {
        item.classList.toggle('current', n === state.operation);
        if (n === state.operation)
          item.setAttribute('aria-current', 'step');
        else
          item.removeAttribute('aria-current');
      });
      for (const view of views)
        view.markRegion(operationHalos(tile, operation), operation.kind.split(' ')[0]);
      const reads = operation.operator === null ? [] : tile.operators[operation.operator].reads;
      if (stream !== null) stream.update(state.step, reads);
    };
    const controls = element('div', {class: 'controls'});
    if (walk !== null) {
      const steps = slider(
          'Step of the stream', -walk.before, walk.planes - 1 + walk.after, state.step, (step) => {
            state.step = step;
            show();
            return walk.stepText(step);
          }, 'of-steps');
      controls.append(steps.control);
      this.start.push(steps.move);
    }
    const operations =
        slider('Part of the step', 1, tile.steps.length, state.operation + 1, (number) => {
          state.operation = number - 1;
          show();
          const operation = tile.steps[state.operation];
          return `${number} of ${tile.steps.length}: ${operationText(tile, operation)}${
              readsText(tile, operation)}`;
        }, 'of-operations');
    controls.append(operations.control, this.threadSlider(tile, views));
    this.start.push(operations.move);
    this.node.append(controls);
    if (stream !== null) {
      const frame = figure(
          stream.frame,
          'One row for each array, one column for each plane of the grid. Planes are ' +
              'counted from the first that the block stores; a framed plane is read by the part of the step that is looked at.');
      this.node.append(frame, streamKey());
    }
    const pictures = views.map(
        (view) => figure(
            view.drawing,
            'To scale. The strong frame is what the block stores, around it what ' +
                'it needs besides; thin lines are between threads, full squares are the points of the thread above. The tinted part is what ' +
                'the part of the step is about.'));
    const happens =
        element('h4', {}, `What happens in ${tile.stream === null ? 'a block' : 'each step'}`);
    this.node.append(element(
        'div', {class: 'beside even'}, element('div', {}, ...pictures),
        element('div', {}, happens, list, ...this.cones(tile))));
    this.node.append(this.versionTable(tile));
  }

  cones(tile) {
    const cones = [];
    for (let d = 0; d < tile.dimensions.length; d += 1) {
      const grows = tile.versions.some((each) => each.halo[d][0] + each.halo[d][1] > 0);
      if (d === tile.stream || !grows) continue;
      cones.push(figure(
          coneDrawing(tile, d),
          'From what is loaded, at the bottom, to what is stored, at the top: each level ' +
              'needs its neighbours\' points of the level below, so the tile narrows.'));
    }
    return cones;
  }

  walkText(tile) {
    const dimension = tile.dimensions[tile.stream];
    const chunk = tile.chunk === 0 ? `all ${count(dimension.stored, 'plane')}` :
                                     `a chunk of ${count(dimension.stored, 'plane')}`;
    return `The block walks along ${dimension.iterator} through ${chunk}, plane by plane: ${
               tile.steps_before} steps before ` +
        `its first plane and ${tile.steps_after} after its last are for planes around them. ${
               tile.barriers > 0 ?
                   `Its threads wait for each other ${times(tile.barriers)} a step.` :
                   'Its threads never wait for each other.'}`;
  }

  versionTable(tile) {
    const ages = (version, where) => version.planes.map((each, age) => (each[where] ? age : null))
                                         .filter((age) => age !== null)
                                         .join(', ') ||
        '-';
    const halo = (version) =>
        version.halo.map(([low, high], d) => `${tile.dimensions[d].iterator} −${low} +${high}`)
            .join(', ');
    const headers = [
      'array', 'is', 'halo', 'lag', 'ages in registers', 'ages in shared memory',
      'planes of shared memory'
    ];
    const rows = tile.versions.map(
        (version) =>
            [version.name, version.loaded ? (version.async ? 'copied' : 'loaded') : 'computed',
             halo(version), String(version.lag), ages(version, 'registers'),
             ages(version, 'shared'), String(version.slots)]);
    return table('Arrays of the tile', headers, rows, [3, 6]);
  }

  threads(threads) {
    const [statement] = this.statements;
    const versions = [{halo: threads.dimensions.map((_, d) => this.reachOf(statement, d))}];
    const views = planesOf(threads).map((pair) => new PlaneView(threads, versions, pair));
    const sizes = threads.dimensions.filter((_, d) => d !== threads.stream)
                      .map((each) => `${each.stored} points along ${each.iterator}`);
    this.node.append(element('h4', {}, 'The threads of a block'));
    this.node.append(element(
        'p', {},
        `A block computes ${
            listed(sizes)}. Threads read their neighbours' elements from memory, which mostly ` +
            'comes from caches: nothing is kept in shared memory.'));
    const controls = element('div', {class: 'controls'});
    this.node.append(controls);
    if (threads.stream !== null && threads.windows.length > 0) {
      const walk = windowWalk(threads, this.names.get(statement.result));
      const stream = new StreamView(walk);
      const steps = slider('Step of the stream', 0, Math.max(0, walk.planes - 1), 0, (step) => {
        stream.update(step, []);
        return walk.stepText(step);
      }, 'of-steps');
      controls.append(steps.control);
      this.start.push(steps.move);
      this.node.append(
          figure(
              stream.frame,
              'Planes that each thread keeps in registers while it walks along the stream.'),
          streamKey());
    }
    controls.append(this.threadSlider(threads, views));
    for (const view of views) {
      this.node.append(figure(
          view.drawing,
          'To scale. The strong frame is what the block computes, around it what it reads; full squares are the points of the thread above.'));
    }
  }

  /** How far a statement reads along an iterator, from its own point. */
  reachOf(statement, d) {
    const all = statement.reads.flatMap((read) => read.offsets.map((offset) => offset[d] ?? 0));
    return [Math.max(0, ...all.map((each) => -each)), Math.max(0, ...all)];
  }

  reduction() {
    const lanes = this.kernel.lanes ? `, in ${this.kernel.lanes.join(' x ')} lanes` : '';
    this.node.append(
        element('h4', {}, 'A reduction'),
        element(
            'p', {},
            `All points become one value${lanes}: points whose distance ` +
                'from the first one is the same modulo the lanes are added in a fixed order, so that every run gives the same result.'));
  }

  nest(nest) {
    this.node.append(
        element('h4', {}, 'The loops'),
        element(
            'p', {},
            `The loops compute ${nest.text}: ${nest.reason}. ` +
                `${
                    nest.cycles > 0 ?
                        `Two vectors of points take ${
                            digits(nest.cycles)} cycles of a core, of which memory takes ${
                            digits(nest.memory_cycles)}` :
                        ''}` +
                `${nest.plain_cycles ? `; a plain nest takes ${digits(nest.plain_cycles)}` : ''}${
                    nest.cycles > 0 ? '.' : ''}`));
    if (nest.held) {
      this.node.append(element(
          'p', {},
          `The loops write the array that they read: new planes wait in ${
              nest.held.buffer} until ` +
              `nobody reads the old ones, ${nest.held.below} below and ${nest.held.above} above.`));
    }
    if (nest.dimensions[0].grid !== null) {
      const reach = this.statements.map((statement) => this.reachOf(statement, 0));
      const view = new NestView(
          nest,
          [Math.max(...reach.map((each) => each[0])), Math.max(...reach.map((each) => each[1]))]);
      const turns = slider(
          'Turn of the outermost loop', 0, view.turns() - 1,
          Math.floor(view.turns() / 3), (turn) => {
            view.update(turn);
            return view.text(turn);
          }, 'of-rows');
      this.node.append(
          turns.control,
          figure(
              view.frame,
              'To scale. Each thread has a part of the outermost loop; the strong line is what ' +
                  'it computes now, the tint around it what it reads, the shaded part is done.'));
      this.start.push(turns.move);
    }
    this.node.append(figure(
        turnDrawing(nest),
        nest.vectors ?
            'What one turn of the innermost loops computes: vectors, in their own order of operations.' :
            'What one turn of the loops computes.'));
    this.caches(nest);
  }

  caches(nest) {
    if (nest.layers.length > 0) {
      const rows = nest.layers.map(
          (layer) =>
              [`along ${layer.iterator}`, scaled(layer.bytes, 'B'),
               layer.held_by_level === null ? 'no cache: memory brings them again' :
                                              `cache level ${layer.held_by_level}`]);
      this.node.append(table(
          'What is used until an element is read again', ['read again', 'bytes', 'kept by'], rows,
          [1]));
    }
    if (nest.caches.length > 0) {
      const rows = nest.caches.map(
          (cache) =>
              [`level ${cache.level}`, scaled(cache.bytes, 'B'), scaled(cache.share, 'B'),
               `${digits(cache.from_below)} B`]);
      this.node.append(table(
          'Caches', ['cache', 'size', 'of it a thread\'s share', 'comes in, a point'], rows,
          [1, 2, 3]));
    }
  }

  footprints() {
    const pictures = [];
    for (const statement of this.statements.slice(0, 12)) {
      for (const read of statement.reads) {
        if (read.offsets.every((offset) => offset.every((each) => each === null))) continue;
        const modes = read.boundary.length > 0 ? `; outside of it: ${listed(read.boundary)}` : '';
        const more = read.elsewhere ? '; and others' : '';
        pictures.push(figure(
            footprint(statement.iterators, read.offsets),
            `${this.names.get(statement.result)} reads ${
                count(read.offsets.length, 'element')} of ${this.names.get(read.version)}${modes}${
                more}`));
      }
    }
    const rows = this.statements.slice(0, 100).map(
        (statement) =>
            [element('code', {}, statement.text), statement.domain_text,
             statement.lines === null ?
                 '' :
                 link(`line-${statement.lines[0]}`, String(statement.lines[0])),
             String(statement.flops)]);
    this.node.append(
        element('h4', {}, 'Statements'),
        table(
            `Statements of ${this.kernel.name}`, ['statement', 'where', 'line', 'flop a point'],
            rows, [2, 3]));
    if (pictures.length > 0)
      this.node.append(element('div', {class: 'small-pictures'}, ...pictures));
  }

  times() {
    const {units, seconds} = this.kernel;
    if (!units) return;
    const longest = Math.max(seconds, ...units.map((each) => each.seconds));
    const bar = (value, style) => shape(
        'svg', {width: 200, height: 14, 'aria-hidden': 'true'},
        rectangle(0, 1, Math.max(1, (200 * value) / longest), 12, style));
    const rows =
        units.map((each) => [each.name, time(each.seconds), bar(each.seconds, 'bar-of-time')]);
    rows.push(['all together', time(seconds), bar(seconds, 'bar-of-time total')]);
    this.node.append(
        element('h4', {}, 'What limits it'),
        element(
            'p', {},
            'The time that one launch would take if nothing but this took time. They work side by side, so the longest decides.'),
        table(`Times of ${this.kernel.name}`, ['unit', 'time', ''], rows, [1]));
  }
}
