// The page as a whole: reads the report and puts the sections together.

function heading(report) {
  const unit = report.target === 'cpp' ? 'loop nest' : 'kernel';
  const sizes = report.sizes.map(
      (each) => `${each.name} = ${grouped(each.value)}${each.assumed ? ' (assumed)' : ''}`);
  const seconds = report.prediction.seconds;
  const facts = [
    ['file', report.file === '<stdin>' ? '' : report.file],
    ['code for', `${report.target === 'cpp' ? 'C++ with OpenMP' : 'CUDA'}, ${report.device.model}`],
    ['sizes', sizes.join(', ') || 'none'],
    ['plan', count(report.kernels.length, unit)],
    ['predicted', seconds === null ? 'nothing for these sizes' : `${time(seconds)} for one run`],
    ['typed', element('code', {}, report.command)],
  ];
  const top = document.getElementById('top');
  top.append(
      element('p', {class: 'kind'}, 'The plan of a stencil program'),
      element('h1', {}, report.name),
      factList(facts),
      ...report.notes.map((note) => element('p', {class: 'note'}, note)),
  );
}

/** What a reader should know first, in sentences. */
function summary(report) {
  const launched =
      report.kernels.filter((kernel) => kernel.seconds !== null && kernel.launches > 0);
  const unit = report.target === 'cpp' ? 'loop nest' : 'kernel';
  const sentences = [
    `The program computes ${worded(report.work.points, 'points')} with ${
        worded(report.work.flops, 'operations')}` +
        ` in ${count(report.kernels.length, unit)}.`,
  ];
  if (launched.length > 0) {
    const total = (kernel) => kernel.seconds * kernel.launches;
    const longest = launched.reduce((a, b) => (total(b) > total(a) ? b : a));
    const part = total(longest) / launched.reduce((sum, each) => sum + total(each), 0);
    const share = part > 0.995 ? 'All of the time' :
        part > 0.5             ? `Most of the time, ${percent(part)},` :
                                 `The largest part of the time, ${percent(part)},`;
    sentences.push(`${share} is in ${longest.name}, which is limited by ${longest.limit}.`);
  }
  const roof = report.prediction.roofline;
  if (roof) {
    sentences.push(
        `What these kernels must at least move and compute would take ${time(roof.seconds)}, by ${
            roof.limit}: ` +
            `${percent(roof.seconds / report.prediction.seconds)} of the predicted time.`,
    );
  }
  return element('p', {class: 'summary'}, sentences.join(' '));
}

function programText(report) {
  const lines = report.source.replace(/\n$/, '').split(/\r?\n/);
  const list = element('ol', {class: 'program', 'aria-label': 'Text of the program'});
  lines.forEach((text, n) => {
    list.append(element('li', {id: `line-${n + 1}`}, element('code', {}, text || ' ')));
  });
  const frame = element('div', {class: 'scroll', tabindex: '0', role: 'region'}, list);
  frame.setAttribute('aria-label', 'Text of the program');
  return frame;
}

function programSection(report, openKernel) {
  return element(
      'section',
      {id: 'program'},
      element('h2', {}, 'Program and graph'),
      summary(report),
      element(
          'div',
          {class: 'beside'},
          element('div', {}, element('h3', {}, 'Program'), programText(report)),
          element('div', {}, element('h3', {}, 'Graph'), graphFigure(report, openKernel)),
          ),
  );
}

function alternativeRows(list, best) {
  return list.map(
      (each) =>
          [each.what ?? each.schedule,
           time(each.seconds),
           each.taken ? 'chosen' : change(each.seconds, best),
           each.seconds === null ? 'needs more registers or shared memory than there are' :
                                   (each.limit ?? (each.taken ? '' : 'takes longer')),
  ]);
}

function addTable(section, title, text, headers, rows, numbers) {
  if (rows.length === 0) return;
  section.append(
      element('h3', {}, title), element('p', {}, text), table(title, headers, rows, numbers));
}

function alternativesSection(report) {
  const all = report.alternatives;
  const section =
      element('section', {id: 'alternatives'}, element('h2', {}, 'What was not chosen'));
  const seconds = report.prediction.seconds;
  const best = all.schedules.find((each) => each.taken)?.seconds ?? seconds;
  const columns = ['alternative', 'predicted', 'against this plan', 'limited by'];
  addTable(
      section, 'Other options',
      'Each choice that the command line leaves open, forced; the rest is then chosen again.',
      columns, alternativeRows(all.options, seconds), [1, 2]);
  addTable(
      section, 'A faster device', 'The same plan where one part of the device is twice as fast.',
      columns, alternativeRows(all.faster_parts, seconds), [1, 2]);
  addTable(
      section, 'Schedules that were priced',
      `${
          count(
              all.tried,
              'schedule')} in all; each needs a plan of its own. Those that would take longest may be left out.`,
      ['schedule', 'predicted', 'against this plan', 'why not'],
      alternativeRows(all.schedules, best), [1, 2]);
  addTable(
      section, 'Why kernels are apart', 'Kernels that follow each other, and why they are not one.',
      ['first', 'second', 'reason'],
      all.kernels_apart.map((each) => [each.first, each.second, each.reason]), []);
  addTable(
      section, 'Statements that fusion left apart',
      'Pairs that greedy fusion looked at and refused; statements are named by the array they write.',
      ['first', 'second', 'constraint', 'reason'],
      all.fusion.map((each) => [each.first, each.second, each.constraint, each.reason]), []);
  if (section.children.length === 1) {
    const text = report.target === 'cpp' ?
        'Nothing else was priced: why each loop nest is as it is, is said with it above.' :
        'The options say everything: nothing else was priced.';
    section.append(element('p', {}, text));
  }
  return section;
}

const WORDS = [
  ['kernel', 'statements that one launch on a GPU computes; on a CPU, a loop nest'],
  ['block', 'threads of a GPU that share memory and can wait for each other'],
  ['tile', 'the points that a block computes'],
  [
    'halo',
    'points around a tile that the block loads or computes only because its own points need them; its neighbours store them'
  ],
  ['stream', 'the direction in which a block walks through the grid, plane by plane'],
  ['plane', 'the points of an array at one place along the stream'],
  ['step', 'what a block does at one place of the stream; each step makes one plane of each array'],
  ['lag', 'how many steps after the newest loaded plane an array\'s plane is made'],
  ['age', 'steps since a plane was made: 0 is the newest'],
  ['shared memory', 'memory of a block, on the chip: all its threads read it'],
  ['register', 'memory of one thread: the fastest, and the scarcest'],
  ['turn', 'one execution of a loop\'s body, as a time step'],
  [
    'wavefront',
    'tiles of a time loop that need nothing of each other: threads compute them at the same time'
  ],
  ['launch', 'one start of a kernel'],
];

function wordsSection() {
  return element('section', {id: 'words'}, element('h2', {}, 'Words'), factList(WORDS));
}

function contents() {
  const places = [
    ['program', 'Program'], ['kernels', 'Kernels'], ['roofline', 'Roofline'],
    ['alternatives', 'Not chosen'], ['words', 'Words']
  ];
  return element(
      'nav', {'aria-label': 'Sections'},
      element('ul', {}, ...places.map(([id, text]) => element('li', {}, link(id, text)))));
}

function showReport() {
  const report = JSON.parse(document.getElementById('report').textContent);
  report.kernels.forEach((kernel, n) => { kernel.number = n + 1; });
  heading(report);
  const kernels = kernelsSection(report);
  document.getElementById('top').append(contents());
  document.getElementById('main').append(
      programSection(report, kernels.open),
      kernels.section,
      rooflineSection(report),
      alternativesSection(report),
      wordsSection(),
  );
}

showReport();
