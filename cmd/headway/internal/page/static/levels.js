// The level of each model over time, with a mark for each request.

import { el } from './dom.js';
import { Chart, firstAfter } from './chart.js';
import { number, plural, seconds } from './format.js';
import { drawMarks, drawShares } from './marks.js';

export class Levels {
  // It calls zoomed(from, to) to show another span, or zoomed(null) for all.
  constructor(container, zoomed) {
    this.zoomed = zoomed;
    this.charts = [];
    this.box = el('div', { className: 'charts' });
    container.append(this.toolbar(), this.box);
  }

  toolbar() {
    const button = (label, text, span) => {
      const it = el('button', { type: 'button', 'aria-label': label, title: label }, text);
      it.addEventListener('click', () => this.zoomed(span && span(...this.shown)));
      return it;
    };
    this.tools = el('div', { className: 'tools', role: 'group', 'aria-label': 'Time shown' },
      el('ul', { className: 'legend', 'aria-hidden': 'true' },
        el('li', { className: 'is-line' }, 'tokens there'), el('li', { className: 'is-good' }, 'allowed'), el('li', { className: 'is-bad' }, 'refused')),
      el('span', { className: 'actions' },
        button('Earlier', '←', (from, to) => [from - (to - from) / 2, to - (to - from) / 2]),
        button('Later', '→', (from, to) => [from + (to - from) / 2, to + (to - from) / 2]),
        button('Zoom in', '+', (from, to) => [from + (to - from) / 4, to - (to - from) / 4]),
        button('Zoom out', '−', (from, to) => [from - (to - from) / 2, to + (to - from) / 2]),
        button('All of the time', 'All', null)));
    return this.tools;
  }

  // show draws the models of a report; names are their headings.
  show(report, names) {
    const { models, from, to } = report;
    this.shown = from < to ? [from, to] : [from, from + 1];
    const kind = `${models.length} ${isCalendar(from)}`;
    if (kind !== this.kind) this.clear(); // what kind of axis there is does not change later
    this.kind = kind;
    models.forEach((model, i) => {
      const options = this.figure(report, i, names[i]);
      if (this.charts.length > i) this.charts[i].update(names[i], options);
      else this.charts.push(new Chart(this.box, names[i], options));
    });
  }

  clear() {
    for (const chart of this.charts) chart.destroy();
    this.charts = [];
  }

  figure({ models, shares, from }, i, name) {
    const { curve, burst, allowed, refused } = models[i];
    const dense = curve.allowed.tokens.length + curve.refused.tokens.length > most;
    return {
      data: [curve.tokens.time_seconds, curve.tokens.tokens],
      span: this.shown,
      x: isCalendar(from) ? 'calendar' : 'seconds',
      top: dense ? burst * 1.18 : burst,
      y: '',
      series: [{ stroke: '--level', fill: '--level-fill', width: 1.3 }],
      sync: 'levels',
      label: `Tokens over time, ${name}: ${plural(allowed, 'request', 'requests')} allowed, ${number(refused)} refused. The table has each of them.`,
      marks: (u) => (dense ? drawShares(u, shares, i) : drawMarks(u, curve)),
      readout: (u, at) => readout(u, curve, at),
      selected: (low, high) => this.zoomed([low, high]),
    };
  }
}

// most is how many requests are marked one by one.
const most = 600;

// isCalendar tells times since 1970 from those since the start of something.
const isCalendar = (from) => from > 5e8;

// readout says what is under the pointer: the request next to it, if it is near.
function readout(u, curve, at) {
  const t = curve.tokens.time_seconds[at];
  const tokens = `${seconds(Number(t.toPrecision(6)))} s: ${number(curve.tokens.tokens[at])} tokens`;
  for (const [what, { time_seconds: times }] of [['refused', curve.refused], ['allowed', curve.allowed]]) {
    const i = firstAfter(times, t);
    const near = (k) => k >= 0 && k < times.length && Math.abs(u.valToPos(times[k], 'x') - u.valToPos(t, 'x')) < 3;
    if (near(i) || near(i - 1)) return `${tokens}, ${what}`;
  }
  return tokens;
}
