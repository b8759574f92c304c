// Numbers as people read them: three digits, and a unit.

function digits(value) {
  if (value === 0) return '0';
  return String(Number(value.toPrecision(3)));
}

/** `1.25 GB`; `-` for what is not known. */
function scaled(value, unit) {
  if (value === null || value === undefined) return '-';
  for (const [scale, prefix] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']]) {
    if (Math.abs(value) >= scale) return `${digits(value / scale)} ${prefix}${unit}`;
  }
  return `${digits(value)} ${unit}`;
}

/** `26.5 billion points` */
function worded(value, noun) {
  for (const [scale, word] of [[1e12, 'trillion'], [1e9, 'billion'], [1e6, 'million']]) {
    if (value >= scale) return `${digits(value / scale)} ${word} ${noun}`;
  }
  return `${grouped(Math.round(value))} ${noun}`;
}

/** `1.25 ms`; what has no time cannot run. */
function time(seconds) {
  if (seconds === null || seconds === undefined) return 'cannot run';
  if (seconds >= 1) return `${digits(seconds)} s`;
  return seconds < 1e-3 ? `${digits(seconds * 1e6)} µs` : `${digits(seconds * 1e3)} ms`;
}

function count(number, noun) {
  const one = number === 1;
  const ends = /(sh|ch|s|x)$/.test(noun) ? 'es' : 's';
  return `${grouped(number)} ${noun}${one ? '' : ends}`;
}

/** `16 384` */
function grouped(number) {
  const text = String(number);
  return /^\d{5,}$/.test(text) ? text.replace(/\B(?=(\d{3})+$)/g, '\u202f') : text;
}

/** `once`, `3 times` */
function times(number) { return number === 1 ? 'once' : `${grouped(number)} times`; }

function percent(part) { return `${digits(100 * part)}\u00a0%`; }

/** `+12 %`, `-3 %` */
function change(seconds, from) {
  if (seconds === null || from === null || from === 0) return '-';
  const part = Math.round(100 * (seconds / from - 1));
  return part === 0 ? 'the same' : `${part > 0 ? '+' : '−'}${Math.abs(part)}\u00a0%`;
}

function listed(words) {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
}
