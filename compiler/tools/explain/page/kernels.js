// The kernels: a table of all, and a tab for each.

/** Tabs for the kernels, with the keys that tabs have. All are printed. */
class KernelTabs {
  constructor(panels) {
    this.panels = panels;
    this.tabs = panels.map(({kernel}) => {
      const tab = element(
          'button', {
            type: 'button',
            role: 'tab',
            id: `tab-${kernel.number}`,
            'aria-controls': `kernel-${kernel.number}`
          },
          `${kernel.number} ${kernel.name}`);
      tab.addEventListener('click', () => this.select(kernel.number));
      tab.addEventListener('keydown', (event) => this.key(event));
      return tab;
    });
    this.bar =
        element('div', {role: 'tablist', 'aria-label': 'Kernels', class: 'tabs'}, ...this.tabs);
    window.addEventListener(
        'beforeprint', () => panels.slice(0, 20).forEach((panel) => panel.fill()));
  }

  select(number) {
    this.current = number;
    this.panels.forEach((panel, n) => {
      const chosen = n + 1 === number;
      if (chosen) panel.fill();
      panel.node.classList.toggle('hidden', !chosen);
      this.tabs[n].setAttribute('aria-selected', String(chosen));
      this.tabs[n].setAttribute('tabindex', chosen ? '0' : '-1');
    });
  }

  key(event) {
    const last = this.panels.length;
    const moves = {
      ArrowRight: (this.current % last) + 1,
      ArrowLeft: ((this.current + last - 2) % last) + 1,
      Home: 1,
      End: last
    };
    if (moves[event.key] === undefined) return;
    event.preventDefault();
    this.select(moves[event.key]);
    this.tabs[this.current - 1].focus();
  }
}

function kernelsSection(report) {
  const statements = statementsOf(report.graph.nodes);
  const names = new Map(report.graph.versions.map((each) => [each.id, each.name]));
  const panels = report.kernels.map((kernel) => new KernelPanel(report, kernel, statements, names));
  const unit = report.target === 'cpp' ? 'Loop nests' : 'Kernels';
  const section = element('section', {id: 'kernels'}, element('h2', {}, unit));
  if (panels.length === 0) {
    section.append(
        element('p', {}, 'The program launches nothing: it has no statement over arrays.'));
    return {section, open: () => {}};
  }
  const tabs = new KernelTabs(panels);
  const totals = report.kernels.map((kernel) => (kernel.seconds ?? 0) * kernel.launches);
  const sum = totals.reduce((a, b) => a + b, 0);
  const rows = report.kernels.map(
      (kernel, n) =>
          [link(
               `kernel-${kernel.number}`, `${kernel.number} ${kernel.name}`,
               () => tabs.select(kernel.number)),
           kernel.computes, grouped(kernel.launches),
           kernel.seconds === null ? '-' : time(kernel.seconds),
           sum > 0 ? percent(totals[n] / sum) : '-', kernel.limit ?? '-']);
  section.append(
      table(
          unit, ['name', 'computes', 'launches', 'a launch', 'of all time', 'limited by'], rows,
          [2, 3, 4]),
      ...bandParts(report, report.steps), tabs.bar, ...panels.map((panel) => panel.node));
  const longest = totals.indexOf(Math.max(...totals));
  tabs.select(longest + 1);
  return {section, open: (number) => tabs.select(number)};
}
