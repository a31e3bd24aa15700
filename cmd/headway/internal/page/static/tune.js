// Choosing a burst from a log, which is sent to the server that we come from.

import * as api from './api.js';
import * as fields from './fields.js';
import * as state from './state.js';
import { $, el } from './dom.js';
import { Report } from './report.js';
import { acceptDrops, size, tooLarge } from './requests.js';
import { plural } from './format.js';
import { Tool } from './tool.js';

const names = ['limit', 'gap', 'percentile', 'close', 'candidates', 'rules', 'format', 'unit', 'fields'];

export class Tune extends Tool {
  constructor(about) {
    super('tune');
    this.maxUpload = about.max_upload;
    this.report = new Report($('tune-results'));
    this.report.introduce(about.matrix);
    this.file = null;
    $('log').addEventListener('change', (event) => this.take(event.target.files[0]));
    acceptDrops($('log-drop'), (file) => this.take(file));
    this.form.addEventListener('input', () => this.remember());
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.run().then(() => fields.focusFirst(this.form));
    });
  }

  open(params) {
    if (params.size) {
      for (const name of names) $(name).value = params.get(name) ?? '';
      $('by_user').checked = params.has('by_user');
      for (const details of this.form.querySelectorAll('details')) {
        details.open = [...details.querySelectorAll('input, select, textarea')].some((entry) => entry.value && entry.type !== 'checkbox');
      }
    }
    if (!this.file) this.say('Choose a log, or drop it beside.');
    this.remember();
  }

  parameters() {
    const params = new URLSearchParams(names.map((name) => [name, $(name).value.trim()]).filter(([, value]) => value));
    if ($('by_user').checked) params.set('by_user', '');
    return params;
  }

  remember() {
    state.write('tune', this.parameters());
  }

  take(file) {
    if (!file) return;
    this.file = file;
    $('log-file').hidden = false;
    $('log-file').replaceChildren(el('strong', {}, file.name), ` ${size(file.size)}`);
    this.run();
  }

  run() {
    this.remember();
    return this.ask((signal) => {
      if (!this.file) throw new api.Failure([{ field: 'log', message: 'choose a log first' }]);
      if (this.file.size > this.maxUpload) throw new api.Failure([tooLarge('log', this.file, this.maxUpload)]);
      this.wait(this.file, signal);
      const params = this.parameters();
      params.set('name', this.file.name);
      return api.post('tune', params, this.file, signal);
    });
  }

  show(report) {
    this.say(el('strong', {}, plural(report.calls, 'call', 'calls')), ` of ${plural(report.clients, 'client', 'clients')}`);
    this.report.show(report);
  }
}
