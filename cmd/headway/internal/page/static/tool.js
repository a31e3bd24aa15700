// What the tools have in common: a form, and what comes of it.

import * as api from './api.js';
import * as fields from './fields.js';
import { $, el } from './dom.js';

export class Tool {
  constructor(name) {
    this.form = $(`${name}-form`);
    this.headline = $(`${name}-headline`);
    this.headline.tabIndex = -1;
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

  // wait tells which file is being read, once that takes a while, and how to stop it.
  wait(file, signal) {
    setTimeout(() => {
      if (signal.aborted || this.results.getAttribute('aria-busy') !== 'true') return;
      const stop = el('button', { type: 'button' }, 'Stop');
      stop.addEventListener('click', () => {
        this.headline.focus(); // for the button goes
        this.stop();
      });
      this.say(`Reading ${file.name}… `, stop);
    }, 300);
  }

  // fail leaves what was there, but less clear.
  fail(error) {
    const stopped = error.name === 'AbortError';
    if (!stopped && !(error instanceof api.Failure)) throw error;
    this.results.classList.add('stale');
    if (stopped) {
      this.say('Stopped.');
      return;
    }
    this.say(error.faults.some(({ field }) => field) ? 'Something is wrong with an entry.' : 'That did not work.');
    fields.show(this.form, this.alert, error.faults);
  }

  say(...what) {
    this.headline.replaceChildren(...what);
  }
}
