// The schedule of a backoff policy.

import * as api from './api.js';
import * as state from './state.js';
import { $, debounced, el } from './dom.js';
import { Chart } from './chart.js';
import { count, plural, span } from './format.js';
import { plainTable } from './table.js';
import { Tool } from './tool.js';

const names = ['initial', 'max', 'multiplier', 'jitter', 'attempts', 'elapsed', 'retry_after', 'hint_jitter', 'attempt_time'];

export class Backoff extends Tool {
  constructor() {
    super('backoff');
    this.charts = [];
    this.form.addEventListener('input', debounced(() => this.run(), 250));
    this.form.addEventListener('submit', (event) => event.preventDefault());
  }

  open(params) {
    if (params.size || !this.opened) for (const name of names) $(name).value = params.get(name) ?? '';
    this.opened = true;
    this.run();
  }

  parameters() {
    return new URLSearchParams(names.map((name) => [name, $(name).value.trim()]).filter(([, value]) => value));
  }

  run() {
    const params = this.parameters();
    state.write('backoff', params);
    this.ask((signal) => api.get('backoff', params, signal));
  }

  show({ attempts, schedules }) {
    for (const chart of this.charts) chart.destroy();
    this.say(...headline(attempts, schedules.at(-1)));
    const box = $('backoff-schedules');
    box.replaceChildren();
    this.charts = schedules.filter(({ retries }) => retries.length).map((schedule) => draw(box, schedule));
  }
}

function headline(attempts, { worst_seconds: worst, expected_seconds: expected, retry_after_seconds: hint }) {
  const more = expected === null ? '' : `, ${span(expected)} on average`;
  const asked = hint === null ? '' : `, if it is asked to wait ${span(hint)} each time`;
  return [el('strong', {}, span(worst)), ` at worst until ${plural(attempts, 'attempt has', 'attempts have')} failed${more}${asked}`];
}

function draw(box, { retries, retry_after_seconds: hint }) {
  const title = hint === null ? 'Without Retry-After' : `With a Retry-After of ${span(hint)} each time`;
  const x = retries.map(({ retry }) => retry);
  const of = (key) => retries.map((retry) => retry[key]);
  const chart = new Chart(box, title, {
    data: [x, of('latest_seconds'), of('earliest_seconds'), of('expected_seconds')],
    margin: 0.3,
    x: 'whole',
    y: ' s',
    series: [
      { stroke: '--good', width: 1.5, points: 5 },
      { stroke: '--good', width: 1.5, points: 5 },
      { stroke: '--ink', width: 2, points: 5, dash: [6, 4] },
    ],
    bands: [{ series: [1, 2], fill: '--level-fill' }],
    label: `${title}: when each retry begins, at the earliest, on average and at the latest. The table has the numbers.`,
    readout: (u, at) => `retry ${count(x[at])}: ${span(retries[at].earliest_seconds)} to ${span(retries[at].latest_seconds)} after the start`,
  });
  box.append(plainTable(title, [
    ['retry', ({ retry }) => count(retry)],
    ['shortest wait', (r) => span(r.shortest_seconds)],
    ['mean wait', (r) => span(r.mean_seconds)],
    ['longest wait', (r) => span(r.longest_seconds)],
    ['earliest start', (r) => span(r.earliest_seconds)],
    ['mean start', (r) => span(r.expected_seconds)],
    ['latest start', (r) => span(r.latest_seconds)],
    ['comes', ({ reached }) => reached],
  ], retries));
  return chart;
}
