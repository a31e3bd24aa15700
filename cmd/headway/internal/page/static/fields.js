// What is wrong with an entry is said beside it, and to those who listen.

import { $, el } from './dom.js';

// show marks the entries that faults are about, by their names. What is about no
// entry is shown in the alert.
export function show(form, alert, faults) {
  clear(form, alert);
  const rest = [];
  for (const fault of faults) {
    const control = find(form, fault);
    if (control) mark(control, message(control, fault));
    else rest.push(fault.message);
  }
  alert.textContent = rest.map(sentence).join(' ');
  alert.hidden = rest.length === 0;
}

export function clear(form, alert) {
  for (const error of form.querySelectorAll('.error')) error.remove();
  for (const control of form.querySelectorAll('[aria-invalid]')) {
    control.removeAttribute('aria-invalid');
    describe(control);
  }
  alert.hidden = true;
}

// focusFirst goes to the first entry that something is wrong with.
export function focusFirst(form) {
  form.querySelector('[aria-invalid]')?.focus();
}

// The entries of a model have its number in front of their names.
export const nameOf = (model, field) => (model === undefined || model === null ? field : `m${model}-${field}`);

function find(form, fault) {
  return form.elements.namedItem(nameOf(fault.model, fault.field));
}

function mark(control, text) {
  const other = $(`${control.id}-error`);
  if (other) {
    other.append(` ${text}`);
    return;
  }
  control.setAttribute('aria-invalid', 'true');
  control.closest('details')?.setAttribute('open', '');
  const error = el('p', { className: 'error', id: `${control.id}-error`, role: 'alert' }, text);
  (control.closest('label.button') ?? control).after(error);
  describe(control);
}

// describe tells what stands below an entry: its hint, and what is wrong.
export function describe(control) {
  const texts = control.closest('.entry').querySelectorAll('.hint[id], .error[id]');
  const ids = [...texts].map((text) => text.id);
  if (ids.length) control.setAttribute('aria-describedby', ids.join(' '));
  else control.removeAttribute('aria-describedby');
}

// message is a sentence: some faults go on where the label ends.
function message(control, fault) {
  const label = control.labels?.[0]?.textContent ?? '';
  return sentence(/^(is|has) /.test(fault.message) ? `${label} ${fault.message}` : fault.message);
}

function sentence(text) {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
