// The simulator: what models of limits do to request times.

import * as api from './api.js';
import * as state from './state.js';
import { $, debounced, el } from './dom.js';
import { count, number, percent, plural, seconds, span } from './format.js';
import { Levels } from './levels.js';
import { Models, modelName } from './models.js';
import { Requests, example } from './requests.js';
import { Table, pageSize } from './table.js';
import { Tool } from './tool.js';

const plain = ['bucket', 'refill', 'start', 'window'];

const first = new URLSearchParams({ bucket: '5', refill: '1', m: 'token-bucket', t: example.replaceAll('\n', ',') });

export class Simulate extends Tool {
  constructor(about) {
    super('simulate');
    const changed = debounced(() => this.run(), 250);
    this.models = new Models(about.models, changed);
    this.requests = new Requests(about.max_upload, () => this.all());
    this.levels = new Levels($('simulate-charts'), (span) => this.zoom(span));
    this.table = new Table($('simulate-table'), 'The requests, one by one', (row, find) => this.run({ row, find }));
    this.form.addEventListener('input', (event) => {
      if (event.target.id === 'requests') this.span = null;
      changed();
    });
    this.form.addEventListener('submit', (event) => event.preventDefault());
  }

  // open takes over the state of a link, if it has any.
  open(params) {
    if (!params.size && this.opened) {
      this.remember();
      return;
    }
    this.opened = true;
    const from = params.size ? params : first;
    for (const name of plain) $(name).value = from.get(name) ?? '';
    this.models.read(from.getAll('m'));
    this.requests.read(from.get('t'), from.get('file'));
    this.span = from.get('from') && from.get('to') ? [from.get('from'), from.get('to')] : null;
    this.run();
  }

  // parameters are all but the requests.
  parameters() {
    const params = new URLSearchParams();
    for (const name of plain) if ($(name).value.trim()) params.set(name, $(name).value.trim());
    for (const text of this.models.texts()) params.append('m', text);
    if (this.span) {
      params.set('from', this.span[0]);
      params.set('to', this.span[1]);
    }
    return params;
  }

  remember() {
    const params = this.parameters();
    const file = this.requests.named();
    if (file) params.set('file', file);
    else params.set('t', this.requests.times());
    $('simulate-linked').hidden = state.write('simulate', params, ['t']) && !file;
  }

  all() {
    this.span = null;
    this.run();
  }

  zoom(span) {
    const before = span ? Math.min(0, span[0]) : 0; // there is no time before 0
    this.span = span && span.map((v) => Number((v - before).toPrecision(15)));
    this.run();
  }

  // run asks for a run, of which the table shows the rows from one on, or from
  // the next that was refused.
  run({ row = 1, find = false } = {}) {
    this.remember();
    this.ask((signal) => {
      const faults = [...this.models.faults(), ...this.requests.faults()];
      if (faults.length) throw new api.Failure(faults);
      if (this.requests.file) this.wait(this.requests.file, signal);
      const params = this.parameters();
      params.set('row', row);
      params.set('rows', pageSize);
      if (find) params.set('find', '');
      return api.post('simulate', params, this.requests.body(), signal);
    });
  }

  show(report) {
    const names = report.models.map(({ parameters }) => describe(parameters));
    this.say(...headline(report));
    $('simulate-cards').replaceChildren(...cards(report, names));
    this.levels.show(report, names);
    this.table.show({ ...layout(report.models, names), rows: report.rows, total: report.requests });
  }

  fail(error) {
    super.fail(error);
    const entry = error.faults?.find((fault) => fault.entry)?.entry;
    if (entry && !this.requests.file) this.offer(entry);
  }

  // offer is a way to the request that something is wrong with.
  offer(entry) {
    const go = el('button', { type: 'button', className: 'link' }, `Go to request ${entry}`);
    go.addEventListener('click', () => this.requests.goTo(entry));
    $('requests-error')?.append(' ', go);
  }
}

// describe names a model by what follows from its parameters.
function describe({ model, bucket, refill, t, tau, limit, window, tick, start, servers, count_refused: counts }) {
  const parts = [
    bucket && plural(bucket, 'token', 'tokens'), refill && `${number(refill)}/s`,
    t && `T ${span(t)}`, tau !== undefined && `τ ${span(tau)}`,
    limit && `${number(limit)} in ${span(window)}`, tick && `each ${span(tick)}`,
    start !== undefined && `${number(start)} at the start`, servers > 1 && `${servers} servers`, counts && 'refused count',
  ].filter(Boolean);
  return `${modelName(model)}: ${parts.join(', ')}`;
}

function headline({ requests, models }) {
  if (models.length === 1) {
    return [el('strong', {}, `${count(models[0].allowed)} of ${count(requests)}`), ` ${requests === 1 ? 'request' : 'requests'} allowed`];
  }
  return [el('strong', {}, plural(requests, 'request', 'requests')), ` at ${models.length} models`];
}

function figures(model, report) {
  return [
    ['refused', `${count(model.refused)} (${percent(model.refused, report.requests)})`],
    ['allowed on average', `${number(model.average_rate)}/s`],
    ['largest burst', `${number(model.largest_burst)} in ${span(report.burst_window_seconds)}`],
    ['at once from rest', count(model.burst)],
  ];
}

// cards show the models side by side. Of a single one the headline has said the most.
function cards(report, names) {
  if (report.models.length === 1) {
    const pairs = figures(report.models[0], report).map(([term, text]) => el('div', {}, el('dt', {}, term), el('dd', {}, text)));
    return [el('dl', { className: 'figures' }, ...pairs)];
  }
  return [el('div', { className: 'cards' }, ...report.models.map((model, i) => card(model, names[i], report)))];
}

function card(model, name, report) {
  return el('article', { className: 'card' },
    el('h2', {}, name),
    el('p', { className: 'big' }, el('strong', {}, count(model.allowed)), ` of ${count(report.requests)} allowed`),
    el('progress', { max: report.requests, value: model.allowed, 'aria-hidden': 'true' }),
    el('dl', {}, ...figures(model, report).flatMap(([term, text]) => [el('dt', {}, term), el('dd', {}, text)])));
}

// layout is the columns: those of the request, and the same four for each model.
function layout(models, names) {
  const columns = [
    { label: '#', cell: ({ number }) => count(number) },
    { label: 'time', cell: (row) => seconds(row.time_seconds) },
    { label: 'cost', cell: (row) => number(row.cost) },
  ];
  models.forEach((_, i) => {
    const of = (f) => (row) => f(row.results[i]);
    columns.push(
      { label: 'tokens before', cell: of((r) => number(r.tokens_before)) },
      { label: 'allowed', cell: of((r) => (r.allowed ? { text: 'yes', className: 'yes' } : { text: 'no', className: 'no' })) },
      { label: 'tokens left', cell: of((r) => number(r.tokens_left)) },
      { label: 'retry time', cell: of((r) => (r.allowed ? '' : seconds(r.retry_at_seconds))) });
  });
  if (models.length === 1) return { columns };
  return { columns, groups: [{ label: '', span: 3 }, ...names.map((label) => ({ label, span: 4 }))] };
}
