// Before everything else of a page: what goes wrong is kept for probe.js.
window.pageErrors = [];
window.addEventListener('error', (event) => window.pageErrors.push(String(event.message)));
for (const kind of ['error', 'warn']) {
  console[kind] = (...words) => window.pageErrors.push(`console.${kind}: ${words.join(' ')}`);
}
