// Charts, drawn by uPlot in the colours of the style sheet.

import uPlot from './uplot/uPlot.esm.js';
import { bottom, left } from './axes.js';
import { colour, el } from './dom.js';

const charts = new Set();

// What is drawn does not follow the style sheet by itself.
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => charts.forEach((chart) => chart.redraw()));

// A Chart is a figure with a heading, a line that says what is under the
// pointer, and a plot as wide as there is room.
export class Chart {
  // options are data and label, series and bands (with the names of colours), x
  // (the kind of axis), y (the unit), and what may be left out: height, span (of
  // x), margin (on both sides of it), top (of y at least), marks(u) to draw over
  // the lines, readout(u, index), selected(from, to), sync (a name).
  constructor(container, heading, options) {
    this.options = options;
    this.readout = el('p', { className: 'readout', 'aria-hidden': 'true' });
    this.caption = el('figcaption', {}, heading);
    this.box = el('div', { className: 'plot', role: 'img' });
    this.figure = el('figure', {}, el('div', { className: 'bar' }, this.caption, this.readout), this.box);
    container.append(this.figure);
    this.plot = new uPlot(this.uplot(), options.data, this.box);
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(this.box);
    charts.add(this);
    this.describe();
  }

  uplot() {
    const { series, bands, x, y, sync, height = 200 } = this.options;
    return {
      width: Math.max(this.box.clientWidth, 200),
      height,
      scales: {
        x: { time: x === 'calendar', range: () => this.range() },
        y: { range: (u, min, max) => [0, Math.max(this.options.top ?? 0, max, 1e-9) * 1.08] },
      },
      series: [{}, ...series.map(line)],
      bands: bands?.map((band) => ({ ...band, fill: () => colour(band.fill) })),
      axes: [bottom(x), left(y)],
      pxAlign: 0,
      tzDate: (t) => uPlot.tzDate(new Date(t * 1000), 'Etc/UTC'),
      legend: { show: false },
      cursor: {
        sync: sync ? { key: sync } : undefined,
        drag: { x: Boolean(this.options.selected), y: false, setScale: false },
        points: { size: 7 },
      },
      hooks: {
        draw: [(u) => this.options.marks?.(u)],
        setSelect: [(u) => this.select(u)],
        setCursor: [(u) => this.point(u)],
      },
    };
  }

  range() {
    const times = this.options.data[0];
    const [from, to] = this.options.span ?? [times[0], times.at(-1)];
    const margin = this.options.margin ?? (to - from || 1) * 0.015;
    return [from - margin, to + margin];
  }

  // update draws other data in the same place.
  update(heading, options) {
    this.options = options;
    this.caption.textContent = heading;
    this.describe();
    this.plot.setData(options.data);
  }

  describe() {
    this.box.setAttribute('aria-label', this.options.label);
  }

  select(u) {
    const { left: from, width } = u.select;
    if (width > 3) this.options.selected?.(u.posToVal(from, 'x'), u.posToVal(from + width, 'x'));
    u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  }

  point(u) {
    this.readout.textContent = u.cursor.idx === null || u.cursor.left < 0 ? '' : this.options.readout?.(u, u.cursor.idx) ?? '';
  }

  fit() {
    const width = this.box.clientWidth;
    if (width && width !== this.plot.width) this.plot.setSize({ width, height: this.plot.height });
  }

  redraw() {
    this.plot.redraw(false, true);
  }

  destroy() {
    charts.delete(this);
    this.observer.disconnect();
    this.plot.destroy();
    this.figure.remove();
  }
}

// line is a series as uPlot knows it.
function line({ stroke, fill, points = 0, bars = false, ...rest }) {
  return {
    ...rest,
    stroke: () => colour(stroke),
    fill: fill && (() => colour(fill)),
    points: { show: points > 0, size: points, fill: () => colour(stroke) },
    paths: bars ? uPlot.paths.bars({ size: [0.7, 40] }) : undefined,
  };
}

// clipped draws within the plot, and a little beyond for marks at its edge.
export function clipped(u, draw) {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left - 8, bbox.top - 8, bbox.width + 16, bbox.height + 16);
  ctx.clip();
  ctx.setLineDash([]);
  draw(ctx, bbox);
  ctx.restore();
}

// dots calls draw for each point that can be seen.
export function dots(u, times, values, draw) {
  const { min, max } = u.scales.x;
  for (let i = firstAfter(times, min); i < times.length && times[i] <= max; i++) {
    draw(u.valToPos(times[i], 'x', true), u.valToPos(values[i], 'y', true));
  }
}

// firstAfter is the index of the first that is not before t.
export function firstAfter(times, t) {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < t) low = middle + 1;
    else high = middle;
  }
  return low;
}
