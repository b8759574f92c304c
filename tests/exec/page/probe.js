// At the end of a page of `stencilgen explain`: uses it as a reader would, compares what it shows
// with what `explain --json` has printed, and leaves what is wrong, a line each, as all there is.
'use strict';
(() => {
  const problems = window.pageErrors.slice();
  const report = JSON.parse(document.getElementById('expected').textContent);

  function expect(holds, words) {
    if (!holds) problems.push(words);
  }
  function all(selector, from = document) { return [...from.querySelectorAll(selector)]; }
  function number(node, name) { return Number(node.getAttribute(name)); }

  function checkReport() {
    const own = document.getElementById('report').textContent;
    expect(
        JSON.stringify(JSON.parse(own)) === JSON.stringify(report),
        'the page has another report than --json');
    expect(
        all('h1').length === 1 && document.querySelector('h1').textContent === report.name,
        'the heading is not the program\'s name');
    const text = all('.program li').map((item) => item.textContent.replace(/^ $/, '')).join('\n');
    expect(
        text === report.source.replace(/\n$/, '').replace(/\r\n/g, '\n'),
        'the program\'s text is another one');
  }

  /** What people need who do not see the page, or use no mouse. */
  function checkStructure() {
    const ids = all('[id]').map((node) => node.id);
    expect(new Set(ids).size === ids.length, 'an id is there twice');
    for (const drawing of all('svg:not([aria-hidden])')) {
      const named = document.getElementById(drawing.getAttribute('aria-labelledby'));
      const described = document.getElementById(drawing.getAttribute('aria-describedby'));
      expect(named?.textContent && described?.textContent, 'a picture has no title or description');
    }
    for (const input of all('input')) {
      expect(input.labels.length === 1 && input.labels[0].textContent, 'a slider has no label');
      expect(input.getAttribute('aria-valuetext'), 'a slider does not say its place');
    }
    for (const table of all('table')) {
      expect(table.caption?.textContent, 'a table has no caption');
      expect(all('thead th[scope=col]', table).length > 0, 'a table has no headers');
    }
    let level = 1;
    for (const heading of all('h1,h2,h3,h4')) {
      const next = Number(heading.tagName[1]);
      expect(next <= level + 1, `the heading ${heading.textContent} leaves out a level`);
      level = next;
    }
    expect(
        all('[src],[href]:not([href^=\'#\'])').length === 0,
        'the page refers to something outside');
    const text = document.body.innerText;
    for (const word of ['undefined', 'NaN', 'Infinity', '[object']) {
      const inProgram = report.source.includes(word);
      expect(
          inProgram || !text.includes(word),
          `the page says ${word}: ${text.substr(text.indexOf(word) - 60, 90)}`);
    }
    for (const value of all('svg *').flatMap((node) => [...node.attributes])) {
      expect(
          !/NaN|undefined|Infinity/.test(value.value),
          `a picture has ${value.name}="${value.value}"`);
    }
  }

  /** Moves a slider through its range: its text and some picture must follow. */
  function checkSlider(input, drawings) {
    const output = input.parentElement.querySelector('output');
    const seen = new Set();
    const texts = new Set();
    const [least, most] = [Number(input.min), Number(input.max)];
    for (const place of [least, Math.floor((least + most) / 2), most]) {
      input.value = place;
      input.dispatchEvent(new Event('input'));
      seen.add(drawings());
      texts.add(output.textContent);
    }
    const name = input.labels[0].textContent;
    if (most === least) return;
    expect(texts.size > 1, `${name}: the text does not follow the slider`);
    expect(seen.size > 1, `${name}: no picture follows the slider`);
  }

  function checkTabs() {
    const tabs = all('[role=tab]');
    expect(tabs.length === report.kernels.length, 'there is not a tab for each kernel');
    if (tabs.length === 0) return;
    const some = tabs.length > 30 ? tabs.slice(0, 10) : tabs;
    for (const tab of some) {
      tab.click();
      const panel = document.getElementById(tab.getAttribute('aria-controls'));
      expect(
          tab.getAttribute('aria-selected') === 'true', 'a tab is not selected when it is clicked');
      const shown =
          all('[role=tabpanel]').filter((each) => getComputedStyle(each).display !== 'none');
      expect(shown.length === 1 && shown[0] === panel, 'not the tab\'s panel alone is shown');
      for (const input of all('input', panel)) checkSlider(input, () => panel.innerHTML);
      checkKernel(report.kernels[tabs.indexOf(tab)], panel);
    }
    const press = (key) => {
      const at = tabs.find((tab) => tab.getAttribute('aria-selected') === 'true');
      at.focus();
      at.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
      return tabs.findIndex((tab) => tab.getAttribute('aria-selected') === 'true');
    };
    expect(press('Home') === 0, 'Home does not go to the first tab');
    expect(press('ArrowRight') === 1 % tabs.length, 'the right arrow does not go to the next tab');
    expect(press('ArrowLeft') === 0, 'the left arrow does not go back');
    expect(press('End') === tabs.length - 1, 'End does not go to the last tab');
    expect(
        document.activeElement === tabs[tabs.length - 1], 'the keys do not take the focus along');
  }

  /** The rows of a table of the panel, as texts. */
  function rowsOf(panel, caption) {
    const found = all('table', panel).find((table) => table.caption.textContent === caption);
    return found === undefined ?
        [] :
        [...found.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent));
  }

  function checkKernel(kernel, panel) {
    const statements = rowsOf(panel, `Statements of ${kernel.name}`);
    expect(
        statements.length === Math.min(100, kernel.operators.length),
        `${kernel.name}: statements are missing`);
    if (kernel.units && kernel.seconds !== null) {
      expect(
          rowsOf(panel, `Times of ${kernel.name}`).length === kernel.units.length + 1,
          `${kernel.name}: times are missing`);
    }
    if (kernel.tile) checkTile(kernel, panel);
  }

  /** The tile's pictures have the plan's numbers, to scale. */
  function checkTile(kernel, panel) {
    const {tile} = kernel;
    const rows = rowsOf(panel, 'Arrays of the tile');
    tile.versions.forEach((version, n) => {
      const ages = (where) => version.planes.map((each, age) => (each[where] ? age : null))
                                  .filter((age) => age !== null)
                                  .join(', ') ||
          '-';
      const expected =
          [String(version.lag), ages('registers'), ages('shared'), String(version.slots)];
      expect(
          rows[n][0] === version.name &&
              JSON.stringify(rows[n].slice(3)) === JSON.stringify(expected),
          `${kernel.name}: ${version.name} is in the table as ${rows[n].join(' | ')}`);
    });
    const last = tile.dimensions.length - 1;
    const others =
        tile.dimensions.map((_, d) => d).filter((d) => d !== last && d !== tile.stream).reverse();
    all('svg', panel)
        .filter((svg) => svg.querySelector('rect.stored.outline'))
        .forEach((svg, n) => {
          const frame = svg.querySelector('rect.stored.outline');
          const scale = number(frame, 'width') / tile.dimensions[last].stored;
          const rows = others.length > 0 ? tile.dimensions[others[n]].stored : 1;
          expect(
              Math.abs(number(frame, 'height') - rows * scale) < 0.05,
              `${kernel.name}: the tile is not to scale`);
          const halos =
              all('rect.halo', svg).map((each) => Math.round(number(each, 'width') / scale));
          const expected = tile.versions.map(
              ({halo}) => tile.dimensions[last].stored + halo[last][0] + halo[last][1]);
          for (const points of halos)
            expect(expected.includes(points), `${kernel.name}: a halo of ${points} points`);
          expect(
              Math.max(...expected) === Math.max(tile.dimensions[last].stored, ...halos),
              `${kernel.name}: the widest halo is missing`);
          const own = all('rect.own', svg);
          const points = tile.dimensions[last].points *
              (others.length > 0 ? tile.dimensions[others[n]].points : 1);
          expect(own.length === points, `${kernel.name}: a thread has ${own.length} points`);
        });
    if (tile.stream !== null) checkStream(kernel, panel);
  }

  /** In the middle of the walk each array has the planes that the plan says. */
  function checkStream(kernel, panel) {
    const {tile} = kernel;
    const input = panel.querySelector('input.of-steps');
    expect(Number(input.min) === -tile.steps_before, `${kernel.name}: the walk begins elsewhere`);
    const planes = tile.dimensions[tile.stream].stored;
    expect(
        Number(input.max) === planes - 1 + tile.steps_after,
        `${kernel.name}: the walk ends elsewhere`);
    const lags = tile.versions.map((version) => version.lag + version.planes.length);
    const step = Math.max(...lags) + 1;
    if (step >= planes) return;
    input.value = step;
    input.dispatchEvent(new Event('input'));
    const svg = all('svg', panel).find((each) => each.querySelector('rect.plane'));
    const count = (style) => svg.querySelectorAll(`rect.plane.${style}`).length;
    const held = (registers, shared) => tile.versions.reduce(
        (sum, version) => sum +
            version.planes
                .filter(
                    (each, age) => each.registers === registers && each.shared === shared &&
                        !(version.async && age === 0))
                .length,
        0);
    expect(
        count('registers') === held(true, false),
        `${kernel.name}: ${count('registers')} planes in registers`);
    expect(
        count('shared') === held(false, true),
        `${kernel.name}: ${count('shared')} planes in shared memory`);
    expect(count('both') === held(true, true), `${kernel.name}: ${count('both')} planes in both`);
  }

  function checkBands() {
    for (const input of all('input.of-waves')) {
      const drawing = input.closest('.control').nextElementSibling;
      checkSlider(input, () => drawing.innerHTML);
      expect(drawing.querySelectorAll('polygon').length > 1, 'there are no tiles of turns');
    }
  }

  function checkRest() {
    const drawn = report.kernels.filter(
        (kernel) => kernel.roofline && kernel.roofline.intensity > 0 &&
            kernel.roofline.flops_per_second > 0);
    expect(
        all('#roofline circle').length === Math.min(40, drawn.length),
        'kernels are missing from the roofline');
    const links = all('#program svg a');
    if (links.length > 0) {
      links[links.length - 1].dispatchEvent(
          new MouseEvent('click', {bubbles: true, cancelable: true}));
      expect(all('.marked').length === 1, 'a box of the graph leads nowhere');
    }
    const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    const beyond = all('main *, header *')
                       .find(
                           (node) => node.getBoundingClientRect().right + window.scrollX >
                                   document.documentElement.clientWidth + 0.5 &&
                               node.parentElement.closest('.scroll') === null);
    expect(wide <= 0, `the page is ${wide} pixels too wide, by ${beyond?.outerHTML.slice(0, 200)}`);
  }

  try {
    checkReport();
    checkTabs();
    checkStructure();
    checkBands();
    checkRest();
  } catch (error) {
    problems.push(`the probe fails: ${error.stack}`);
  }
  problems.push(...window.pageErrors);
  const summary = element('pre', {id: 'findings'});
  summary.textContent =
      problems.length === 0 ? 'fine' : `problems:\n${[...new Set(problems)].join('\n')}`;
  document.head.replaceChildren();
  document.body.replaceChildren(summary);
})();
