// The models that stand side by side, each with parameters of its own.

import { $, el } from './dom.js';
import { describe, nameOf } from './fields.js';

const names = {
  'token-bucket': 'Token bucket', gcra: 'GCRA', ticks: 'Whole tokens at ticks', 'leaky-bucket': 'Leaky bucket',
  'fixed-window': 'Fixed window', 'sliding-log': 'Sliding log', 'sliding-counter': 'Sliding counter',
};

export const modelName = (model) => names[model] ?? model;

const entries = {
  bucket: ['Bucket size', 'tokens, else as above'],
  refill: ['Refill rate', 'a second, else as above'],
  start: ['At the start', 'tokens, else as above'],
  t: ['T, emission interval', 'seconds, else 1/refill'],
  tau: ['τ, tolerance', 'seconds, else (bucket − 1)·T'],
  limit: ['Requests in a window', 'else the bucket size'],
  window: ['Window', 'seconds, else limit/refill'],
  tick: ['Tick', 'seconds, else one token at a time'],
  servers: ['Servers', 'that take turns, each with its share'],
};

const common = ['start', 'servers'];

export class Models {
  // known are the models that the server has. It calls changed after each change.
  constructor(known, changed) {
    this.known = known;
    this.changed = changed;
    this.list = [];
    $('add-model').addEventListener('click', () => this.add());
  }

  // read takes over texts such as "gcra,t=1s,tau=4s".
  read(texts) {
    this.list = (texts.length ? texts : ['token-bucket']).map((text) => {
      const [model, ...parts] = text.split(',');
      return { model, own: new Map(parts.map((part) => splitOnce(part, '='))) };
    });
    this.render();
  }

  texts() {
    return this.list.map(({ model, own }) => {
      const keys = this.keys(model);
      const parts = [...own].filter(([key, value]) => value !== '' && keys.includes(key)).map(([key, value]) => `${key}=${value}`);
      return [model, ...parts].join(',');
    });
  }

  // faults are of what texts cannot hold.
  faults() {
    return this.list.flatMap(({ own }, model) => [...own].filter(([, value]) => /[,=]/.test(value)).map(([field, value]) => (
      { field, model, message: `"${value}" is not a number: decimals have a point` })));
  }

  keys(model) {
    const known = this.known.find(({ name }) => name === model);
    return [...(known?.keys ?? []), ...common, 'count_refused'];
  }

  add() {
    const used = this.list.map(({ model }) => model);
    const next = this.known.find(({ name }) => !used.includes(name)) ?? this.known[0];
    this.list.push({ model: next.name, own: new Map() });
    this.render();
    $(nameOf(this.list.length - 1, 'model')).focus();
    this.changed();
  }

  remove(i) {
    this.list.splice(i, 1);
    this.render();
    $(nameOf(Math.min(i, this.list.length - 1), 'model')).focus();
    this.changed();
  }

  render() {
    $('models').replaceChildren(...this.list.map((_, i) => this.item(i)));
  }

  item(i) {
    const { model, own } = this.list[i];
    const about = el('p', { className: 'hint', id: `m${i}-about` }, this.known.find(({ name }) => name === model)?.about ?? '');
    const select = el('select', { id: nameOf(i, 'model'), name: nameOf(i, 'model'), 'aria-label': `Model ${i + 1}` },
      ...this.known.map(({ name }) => el('option', { value: name, selected: name === model }, modelName(name))));
    if (select.value !== model) select.prepend(el('option', { value: model, selected: true }, model));
    select.addEventListener('change', () => this.choose(i, select.value));
    const remove = el('button', { type: 'button', className: 'quiet', 'aria-label': `Remove model ${i + 1}` }, '✕');
    remove.addEventListener('click', () => this.remove(i));
    const keys = [...new Set(this.keys(model))];
    const item = el('li', {},
      el('div', { className: 'entry' }, el('div', { className: 'actions' }, select, this.list.length > 1 ? remove : null), about),
      el('details', { open: own.size > 0 },
        el('summary', {}, 'Parameters of its own'),
        el('div', { className: 'row' }, ...keys.map((key) => this.entry(i, key)))));
    for (const control of item.querySelectorAll('input, select')) describe(control);
    return item;
  }

  choose(i, model) {
    this.list[i].model = model;
    this.render();
    $(nameOf(i, 'model')).focus();
    this.changed();
  }

  entry(i, key) {
    const { own } = this.list[i];
    const id = nameOf(i, key);
    if (key === 'count_refused') {
      const box = el('input', { type: 'checkbox', id, name: id, checked: isOn(own.get(key)) });
      box.addEventListener('change', () => (box.checked ? own.set(key, 'true') : own.delete(key)));
      return el('div', { className: 'entry wide' }, el('label', { htmlFor: id }, box, ' Refused requests use up tokens too'));
    }
    const [label, hint] = entries[key] ?? [key, ''];
    const input = el('input', { id, name: id, value: own.get(key) ?? '', autocomplete: 'off' });
    input.addEventListener('input', () => own.set(key, input.value.trim()));
    return el('div', { className: 'entry' },
      el('label', { htmlFor: id }, label), input, el('p', { className: 'hint', id: `${id}-hint` }, hint));
  }
}

// isOn tells what the server takes for true.
const isOn = (value) => ['true', '1', 't'].includes(value?.toLowerCase());

function splitOnce(text, by) {
  const at = text.indexOf(by);
  return at < 0 ? [text, 'true'] : [text.slice(0, at), text.slice(at + 1)];
}
