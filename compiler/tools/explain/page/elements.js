'use strict';
// Elements of the page and of its pictures. Text always becomes text, never markup.

const SVG_NAMES = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** An element of HTML. */
function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** An element of SVG. */
function shape(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG_NAMES, name), attributes, children);
}

let nextNumber = 0;
/** A name for an element that another one refers to. */
function freshId(prefix) {
  nextNumber += 1;
  return `${prefix}-${nextNumber}`;
}

/** A picture that reads as its title and description. `interactive`: it has links. */
function picture(width, height, title, description, children, interactive = false) {
  const ids = [freshId('title'), freshId('description')];
  return shape(
      'svg',
      {
        viewBox: `0 0 ${round(width)} ${round(height)}`,
        width: round(width),
        height: round(height),
        role: interactive ? 'group' : 'img',
        'aria-labelledby': ids[0],
        'aria-describedby': ids[1],
      },
      shape('title', {id: ids[0]}, title),
      shape('desc', {id: ids[1]}, description),
      ...children,
  );
}

function round(value) { return Math.round(value * 100) / 100; }

function rectangle(x, y, width, height, style, more = {}) {
  const place = {x: round(x), y: round(y), width: round(width), height: round(height)};
  return shape('rect', {...place, class: style, ...more});
}

function line(x1, y1, x2, y2, style) {
  return shape('line', {x1: round(x1), y1: round(y1), x2: round(x2), y2: round(y2), class: style});
}

/** `anchor`: start, middle or end. */
function label(x, y, text, anchor = 'start', style = '') {
  return shape('text', {x: round(x), y: round(y), 'text-anchor': anchor, class: style}, text);
}

/** A picture with words below it. */
function figure(drawing, caption) {
  const frame = element('div', {class: 'scroll', tabindex: '0', role: 'region'}, drawing);
  frame.setAttribute('aria-label', 'picture, may be scrolled');
  return element('figure', {}, frame, element('figcaption', {}, caption));
}

/** Rows are lists of texts or nodes; the first of each names its row. */
function table(caption, headers, rows, numbers = []) {
  const style = (column) => (numbers.includes(column) ? 'number' : null);
  const head = headers.map((text, n) => element('th', {scope: 'col', class: style(n)}, text));
  const body = rows.map(
      (cells) => element(
          'tr',
          {},
          ...cells.map(
              (cell, n) => element(
                  n === 0 ? 'th' : 'td', {scope: n === 0 ? 'row' : null, class: style(n)}, cell),
              ),
          ),
  );
  return element(
      'div',
      {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption},
      element(
          'table',
          {},
          element('caption', {}, caption),
          element('thead', {}, element('tr', {}, ...head)),
          element('tbody', {}, ...body),
          ),
  );
}

/** `facts`: pairs of a name and what it is; those without are left out. */
function factList(facts) {
  const list = element('dl');
  for (const [name, value] of facts) {
    if (value === null || value === undefined || value === '') continue;
    list.append(element('div', {}, element('dt', {}, name), element('dd', {}, value)));
  }
  return list;
}

/**
 * A slider with its name and, said aloud when it moves, what its place means. `change` gets the
 * place and returns that text.
 */
function slider(name, least, most, start, change, style = '') {
  const id = freshId('slider');
  const output = element('output', { for: id, 'aria-live': 'polite'
  });
  const input = element('input', {
    type: 'range',
    id,
    min: least,
    max: most,
    value: start,
    step: 1,
    class: style,
  });
  const move = () => {
    const text = change(Number(input.value));
    output.textContent = text;
    input.setAttribute('aria-valuetext', text);
  };
  input.addEventListener('input', move);
  const control = element(
      'div',
      {class: 'control'},
      element(
          'label',
          { for: id
          },
          name),
      input,
      output,
  );
  return {control, move, input};
}

/** Goes to an element of the page; a plain link would leave a page that is shown in another one. */
function jump(id) {
  const target = document.getElementById(id);
  if (target === null) return;
  for (const marked of document.querySelectorAll('.marked')) marked.classList.remove('marked');
  target.classList.add('marked');
  target.setAttribute('tabindex', '-1');
  target.focus({preventScroll: true});
  target.scrollIntoView({block: 'center'});
}

function link(id, text, before = () => {}) {
  const anchor = element('a', {href: `#${id}`}, text);
  anchor.addEventListener('click', (event) => {
    event.preventDefault();
    before();
    jump(id);
  });
  return anchor;
}
