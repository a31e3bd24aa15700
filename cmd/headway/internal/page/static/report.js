// What came out of a log.

import { Chart } from './chart.js';
import { el } from './dom.js';
import { count, number, percent, plural, span } from './format.js';
import { drawRule } from './marks.js';
import { plainTable } from './table.js';

const shown = 12; // classes in the table; the choice below has all

export class Report {
  constructor(box) {
    this.box = box;
    this.charts = [];
  }

  // introduce shows what there is to say without a log.
  introduce(matrix) {
    this.box.append(...types(matrix));
  }

  show(report) {
    this.clear();
    this.report = report;
    this.one = el('div', { className: 'results' });
    this.box.append(
      advice(report.all),
      ...warnings(report.warnings),
      ...bad(report.logs),
      heading('Each class by itself'),
      plainTable('The classes of calls, each as if it had a limit of its own', classColumns(report), report.classes.slice(0, shown), 'named'),
      ...(report.classes.length > shown ? [el('p', { className: 'hint' }, `${count(report.classes.length - shown)} more can be chosen below.`)] : []),
      this.chooser(),
      this.one,
      ...loops(report),
      ...types(report.matrix));
    this.choose(report.all);
  }

  clear() {
    for (const chart of this.charts) chart.destroy();
    this.charts = [];
    this.box.replaceChildren();
  }

  chooser() {
    const all = [this.report.all, ...this.report.classes];
    const select = el('select', { id: 'class' }, ...all.map(({ name }, i) => el('option', { value: i }, name === '(all)' ? 'All calls together' : name)));
    select.addEventListener('change', () => this.choose(all[select.value]));
    return el('div', { className: 'entry choice' }, el('label', { htmlFor: 'class' }, 'Bursts tried against'), select);
  }

  // choose shows what was tried for one class.
  choose(one) {
    for (const chart of this.charts) chart.destroy();
    this.one.replaceChildren();
    this.charts = [rejections(this.one, one), clusters(this.one, one)];
    this.one.append(plainTable('The bursts that were tried', candidateColumns(one), one.candidates));
  }
}

const heading = (text) => el('h2', { className: 'part' }, text);

function advice({ advised, enough, limit, clusters, type, type_why: why }) {
  const pairs = [
    ['burst to allow', `${plural(advised.back_to_back, 'call', 'calls')} at once (τ/T = ${count(advised.tau_over_t)})`],
    ['T', span(limit.interval_seconds)],
    ['τ', `${span(advised.tolerance_seconds)}, ${percent(advised.window_share, 1)} of the window`],
    ['cluster at the percentile', count(clusters.percentile)],
    ['smallest that refuses next to nothing', enough ? `τ/T = ${count(enough.tau_over_t)}` : 'none does'],
    ['type of client', `${type}: ${why}`],
  ];
  return el('dl', { className: 'figures' }, ...pairs.map(([term, text]) => el('div', {}, el('dt', {}, term), el('dd', {}, text))));
}

function warnings(list) {
  if (!list.length) return [];
  return [el('ul', { className: 'warning', 'aria-label': 'Warnings' },
    ...list.map(({ kind, text }) => el('li', {}, el('strong', {}, `${kind}: `), text)))];
}

function bad(logs) {
  return logs.filter((log) => log.bad_lines).map((log) => el('details', { className: 'warning' },
    el('summary', {}, `${plural(log.bad_lines, 'line', 'lines')} of ${log.name} could not be read, and ${log.bad_lines === 1 ? 'is' : 'are'} left out`),
    el('ul', {}, ...log.first_bad.map(({ line, problem }) => el('li', {}, line ? `line ${count(line)}: ${problem}` : problem)))));
}

function classColumns(report) {
  return [
    ['class', ({ name }) => name],
    ['client', ({ type }) => type],
    ['calls', ({ calls }) => count(calls)],
    [`p${number(report.percentile)} cluster`, ({ clusters }) => count(clusters.percentile)],
    ['at once', ({ advised }) => count(advised.back_to_back)],
    ['τ/T', ({ advised }) => count(advised.tau_over_t)],
    ['τ', ({ advised }) => span(advised.tolerance_seconds)],
    ['of window', ({ advised }) => percent(advised.window_share, 1)],
    ['enough τ/T', ({ enough }) => (enough ? count(enough.tau_over_t) : 'none')],
  ];
}

function candidateColumns({ advised, enough }) {
  const mark = ({ tau_over_t: b }) => [b === advised.tau_over_t && 'advised', b === enough?.tau_over_t && 'enough'].filter(Boolean).join(', ');
  return [
    ['τ/T', (c) => count(c.tau_over_t)],
    ['at once', (c) => count(c.back_to_back)],
    ['τ', (c) => span(c.tolerance_seconds)],
    ['rejected', (c) => count(c.rejected)],
    ['of calls', (c) => percent(c.reject_rate, 1)],
    ['without loops', (c) => percent(c.reject_rate_without_loops, 1)],
    ['next to it', (c) => percent(c.near_limit_rate, 1)],
    ['worst wait', (c) => span(c.worst_wait_seconds)],
    ['', (c) => ({ text: mark(c), className: 'left yes' })],
  ];
}

function types(matrix) {
  return [heading('The tolerance for each type of client'), plainTable('The tolerance for each type of client', [
    ['client', ({ type }) => type], ['who', ({ who }) => who], ['τ/T', (row) => row.tau_over_t], ['why', ({ why }) => why],
  ], matrix, 'prose')];
}

function loops({ loops: list, loop_clients: all }) {
  if (!list?.length) return [];
  return [heading(`${plural(all, 'client looks', 'clients look')} like a runaway loop`), plainTable('Clients that look like runaway loops', [
    ['client', ({ client }) => client],
    ['calls', ({ calls }) => count(calls)],
    ['why', ({ why }) => why],
  ], list, 'named')];
}

// rejections draws the share that is rejected over the burst.
function rejections(box, { candidates, advised, enough }) {
  const x = candidates.map((c) => c.tau_over_t);
  const shares = (key) => candidates.map((c) => 100 * c[key]);
  return new Chart(box, 'Rejected calls over τ/T', {
    span: [0, Math.max(x.at(-1), advised.tau_over_t)],
    data: [x, shares('reject_rate'), shares('reject_rate_without_loops')],
    x: 'whole',
    y: ' %',
    series: [{ stroke: '--bad', width: 2, points: 5 }, { stroke: '--good', width: 1.5, points: 0, dash: [6, 4] }],
    label: 'The share of calls that each burst rejects. The table has the numbers.',
    marks: (u) => {
      drawRule(u, advised.tau_over_t, 'advised', 0, '--accent');
      if (enough && enough.tau_over_t !== advised.tau_over_t) drawRule(u, enough.tau_over_t, 'enough', 1, '--soft');
    },
    readout: (u, at) => `τ/T = ${count(x[at])}, ${count(x[at] + 1)} at once: ${percent(candidates[at].reject_rate, 1)} rejected`,
  });
}

// clusters draws how many clusters there are of each size.
function clusters(box, { clusters: { sizes, count: all, percentile } }) {
  const x = sizes.map(({ size }) => size);
  return new Chart(box, `Calls that come together: ${plural(all, 'cluster', 'clusters')}`, {
    data: [x, sizes.map((size) => size.clusters)],
    height: 150,
    margin: 0.8,
    x: 'whole',
    y: '',
    series: [{ stroke: '--good', fill: '--good', bars: true }],
    label: `How many clusters there are of each size, at most ${count(percentile)} at the percentile.`,
    readout: (u, at) => `${plural(sizes[at].clusters, 'cluster', 'clusters')} of ${plural(x[at], 'call', 'calls')}`,
  });
}
