// The roofline: what bandwidth and arithmetic allow, and where each kernel is.

const ROOF = {
  width: 680,
  height: 400,
  left: 74,
  right: 20,
  top: 20,
  bottom: 56
};

function powers(least, most) {
  const list = [];
  for (let p = Math.ceil(Math.log10(least)); p <= Math.floor(Math.log10(most)); p += 1)
    list.push(p);
  return list;
}

class RooflineScale {
  constructor(device, kernels) {
    const slowest = Math.min(...device.bandwidths.map((each) => each.bytes_per_second));
    const ridge = device.peak / slowest;
    const places = kernels.map((kernel) => kernel.roofline.intensity).filter((each) => each > 0);
    const rates =
        kernels.map((kernel) => kernel.roofline.flops_per_second).filter((each) => each > 0);
    this.left = Math.min(ridge / 40, ...places.map((each) => each / 3));
    this.right = Math.max(ridge * 6, ...places.map((each) => each * 3));
    this.low = Math.min(slowest * this.left, ...rates) / 2;
    this.high = device.peak * 2.5;
  }
  x(intensity) {
    const part = Math.log(intensity / this.left) / Math.log(this.right / this.left);
    return ROOF.left + part * (ROOF.width - ROOF.left - ROOF.right);
  }
  y(rate) {
    const part = Math.log(rate / this.low) / Math.log(this.high / this.low);
    return ROOF.height - ROOF.bottom - part * (ROOF.height - ROOF.bottom - ROOF.top);
  }
}

function rooflineAxes(scale) {
  const parts = [];
  const bottom = ROOF.height - ROOF.bottom;
  for (const power of powers(scale.left, scale.right)) {
    const x = scale.x(10 ** power);
    parts.push(line(x, ROOF.top, x, bottom, 'grid'));
    parts.push(label(x, bottom + 18, digits(10 ** power), 'middle'));
  }
  for (const power of powers(scale.low, scale.high)) {
    const y = scale.y(10 ** power);
    parts.push(line(ROOF.left, y, ROOF.width - ROOF.right, y, 'grid'));
    parts.push(label(ROOF.left - 8, y + 4, scaled(10 ** power, '').trim(), 'end'));
  }
  const middle = (ROOF.left + ROOF.width - ROOF.right) / 2;
  parts.push(
      label(middle, ROOF.height - 12, 'operations for each byte of memory (flop/byte)', 'middle'));
  parts.push(
      shape(
          'text',
          {
            transform: `translate(16 ${(ROOF.top + bottom) / 2}) rotate(-90)`,
            'text-anchor': 'middle'
          },
          'operations a second (flop/s)',
          ),
  );
  return parts;
}

/** The roof of one bandwidth: a slope up to the peak. */
function roofOf(scale, bandwidth, peak, style, text) {
  const ridge = Math.max(peak / bandwidth, scale.left);
  const start = Math.max(scale.left, scale.low / bandwidth);
  const from = [scale.x(start), scale.y(Math.min(peak, start * bandwidth))];
  const to = [scale.x(ridge), scale.y(peak)];
  const angle = (Math.atan2(to[1] - from[1], to[0] - from[0]) * 180) / Math.PI;
  const at = [from[0] + 0.12 * (to[0] - from[0]), from[1] + 0.12 * (to[1] - from[1])];
  const words = shape(
      'text',
      {transform: `translate(${round(at[0])} ${round(at[1] - 6)}) rotate(${round(angle)})`},
      text,
  );
  return [line(...from, ...to, style), words];
}

function rooflineDrawing(report, kernels) {
  const device = report.device;
  const scale = new RooflineScale(device, kernels);
  const parts = rooflineAxes(scale);
  const edge = ROOF.width - ROOF.right;
  device.bandwidths.forEach((each, n) => {
    const text = `${each.name}: ${scaled(each.bytes_per_second, 'B/s')}`;
    parts.push(...roofOf(
        scale, each.bytes_per_second, device.peak, n === 0 ? 'roof' : 'roof faint', text));
  });
  const ridge = device.peak / device.bandwidths[0].bytes_per_second;
  parts.push(line(
      scale.x(Math.min(ridge, scale.right)), scale.y(device.peak), edge, scale.y(device.peak),
      'roof'));
  parts.push(
      label(edge, scale.y(device.peak) - 7, `peak: ${scaled(device.peak, 'flop/s')}`, 'end'));
  if (device.stencil_peak) {
    const y = scale.y(device.stencil_peak);
    const from = scale.x(device.stencil_peak / device.bandwidths[0].bytes_per_second);
    parts.push(line(from, y, edge, y, 'roof faint'));
    parts.push(label(edge, y + 15, `stencils: ${scaled(device.stencil_peak, 'flop/s')}`, 'end'));
  }
  for (const kernel of kernels) parts.push(...rooflinePoint(scale, device, kernel));
  const words = kernels
                    .map(
                        (kernel) => `${kernel.name} does ${
                                        digits(kernel.roofline.intensity)} operations a byte and ` +
                            `${scaled(kernel.roofline.flops_per_second, 'flop/s')}`)
                    .join('; ');
  return picture(
      ROOF.width, ROOF.height, 'Roofline', `Both axes are logarithmic. ${words}.`, parts);
}

function rooflinePoint(scale, device, kernel) {
  const {intensity, flops_per_second: rate} = kernel.roofline;
  const roof = Math.min(device.peak, intensity * device.bandwidths[0].bytes_per_second);
  const x = scale.x(intensity);
  const y = scale.y(rate);
  return [
    line(x, scale.y(roof), x, y, 'gap'),
    shape('circle', {cx: round(x), cy: round(y), r: 9, class: 'point'}),
    label(x, y + 4, String(kernel.number), 'middle', 'inverse'),
  ];
}

/** The section; `report.kernels` have numbers. */
function rooflineSection(report) {
  const all = report.kernels.filter((kernel) => kernel.roofline && kernel.seconds !== null);
  const drawn =
      all.filter((kernel) => kernel.roofline.intensity > 0 && kernel.roofline.flops_per_second > 0);
  const section = element('section', {id: 'roofline'}, element('h2', {}, 'Roofline'));
  if (all.length === 0) {
    section.append(element('p', {}, 'There is no prediction for these sizes, and so no roofline.'));
    return section;
  }
  section.append(
      element(
          'p',
          {},
          'No kernel can be above the line: to the left memory cannot bring data faster, to the right ' +
              'the arithmetic units cannot compute faster. The distance from a point up to the line is ' +
              'what is lost to something else, which the kernel\'s own table of times shows.',
          ),
  );
  const most = 40;
  if (drawn.length > 0) {
    const more =
        drawn.length > most ? ` The first ${most} of ${drawn.length} kernels are drawn.` : '';
    const caption = `One launch of each kernel on ${report.device.model}, as predicted.${more}`;
    section.append(figure(rooflineDrawing(report, drawn.slice(0, most)), caption));
  }
  const bandwidth = report.device.bandwidths[0].bytes_per_second;
  const rows = all.map((kernel) => {
    const {flops, bytes, least_bytes: least, intensity, flops_per_second: rate} = kernel.roofline;
    const best = Math.max(bytes / bandwidth, flops / report.device.peak);
    return [
      `${kernel.number} ${kernel.name}`,
      scaled(flops, 'flop'),
      scaled(bytes, 'B'),
      scaled(least, 'B'),
      intensity === null ? '-' : digits(intensity),
      scaled(rate, 'flop/s'),
      percent(best / kernel.seconds),
      kernel.limit,
    ];
  });
  const headers = [
    'kernel', 'operations', 'bytes of memory', 'at least', 'flop/byte', 'speed', 'of the roof',
    'limited by'
  ];
  section.append(table('One launch of each kernel', headers, rows, [1, 2, 3, 4, 5, 6]));
  return section;
}
