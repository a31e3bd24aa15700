// The frame of the page: which tool is shown, and what they share.

import * as api from './api.js';
import * as state from './state.js';
import { Backoff } from './backoff.js';
import { $ } from './dom.js';
import { describe } from './fields.js';
import { Simulate } from './simulate.js';
import { Tune } from './tune.js';

const kinds = { simulate: Simulate, tune: Tune, backoff: Backoff };
const titles = { simulate: 'Simulate', tune: 'Tune', backoff: 'Backoff' };
const views = {};
let about;

function route() {
  const { view, params } = state.read();
  const name = Object.hasOwn(kinds, view) ? view : 'simulate';
  for (const other of Object.keys(kinds)) $(other).hidden = other !== name;
  for (const link of document.querySelectorAll('nav a[data-view]')) {
    if (link.dataset.view === name) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  document.title = `${titles[name]} · Headway`;
  views[name] ??= new kinds[name](about);
  views[name].open(params);
}

// share copies the link, and says so on the button for a while.
function share(button, label) {
  const say = (answer) => {
    button.textContent = answer;
    setTimeout(() => { button.textContent = label; }, 2000);
  };
  if (!navigator.clipboard) say('It is in the address bar'); // browsers lend it to localhost and https only
  else navigator.clipboard.writeText(location.href).then(() => say('Copied'), () => say('It is in the address bar'));
}

// The address has the state of a tool, not a place on the page.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  $('content').focus();
});

// A file that is dropped beside the place for it is not opened instead of us.
for (const type of ['dragover', 'drop']) document.addEventListener(type, (event) => event.preventDefault());

for (const control of document.querySelectorAll('form .entry :is(input, select, textarea)')) describe(control);
for (const button of document.querySelectorAll('[data-copy]')) button.addEventListener('click', share.bind(null, button, button.textContent));

try {
  about = await api.get('about');
  addEventListener('hashchange', route);
  route();
} catch (error) {
  $('trouble').textContent = error.message;
  $('trouble').hidden = false;
  throw error;
}
