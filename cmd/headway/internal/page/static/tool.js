// What the tools have in common: a form, and what comes of it.

import * as api from './api.js';
import * as fields from './fields.js';
import { $ } from './dom.js';

export class Tool {
  constructor(name) {
    this.form = $(`${name}-form`);
    this.headline = $(`${name}-headline`);
    this.alert = document.querySelector(`#${name} [data-alert]`);
    this.results = document.querySelector(`#${name} .results`);
  }

  // ask shows what a question to the server brings. What is asked for later
  // counts: the question is given a signal that ends it.
  async ask(question) {
    this.stop();
    const running = new AbortController();
    this.running = running;
    this.results.setAttribute('aria-busy', 'true');
    try {
      const answer = await question(running.signal);
      if (this.running !== running) return;
      fields.clear(this.form, this.alert);
      this.results.classList.remove('stale');
      this.show(answer);
    } catch (error) {
      if (this.running !== running) return;
      this.fail(error);
    }
    this.results.setAttribute('aria-busy', 'false');
  }

  stop() {
    this.running?.abort();
  }

  // fail leaves what was there, but less clear.
  fail(error) {
    if (error.name === 'AbortError') {
      this.say('Stopped.');
      return;
    }
    if (!(error instanceof api.Failure)) throw error;
    this.results.classList.add('stale');
    this.say(error.faults.some(({ field }) => field) ? 'Something is wrong with an entry.' : 'That did not work.');
    fields.show(this.form, this.alert, error.faults);
  }

  say(...what) {
    this.headline.replaceChildren(...what);
  }
}
