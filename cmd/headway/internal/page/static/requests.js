// The request times: typed in, or from a file.

import { $, el } from './dom.js';

export const example = '0\n0.1\n0.2\n0.3\n0.4\n0.5\n1.5\n2.0\n2.1\n2.2\n5.0';

const large = 1e5; // characters: with more, a browser takes half a second for each key

export class Requests {
  // It calls changed once there is another file; typing is heard of by the form.
  constructor(maxUpload, changed) {
    this.maxUpload = maxUpload;
    this.changed = changed;
    this.file = null;
    this.text = $('requests');
    $('requests-input').addEventListener('change', (event) => this.take(event.target.files[0]));
    $('example').addEventListener('click', () => this.type(example));
    this.text.addEventListener('paste', (event) => this.paste(event));
    acceptDrops($('requests-drop'), (file) => this.take(file));
  }

  // read takes over what a link has: times with commas, or the name of a file,
  // which a link cannot bring.
  read(times, file) {
    this.text.value = (times ?? '').replaceAll(',', '\n');
    this.missing = times === null && file ? file : '';
    this.drop();
  }

  // body is what is sent: one request a line.
  body() {
    return this.file ?? this.typed('\n');
  }

  // times is what a link has.
  times() {
    return this.typed(',');
  }

  typed(separator) {
    return Array.from(entries(this.text.value), ({ text }) => text).join(separator);
  }

  // named is the file that has the requests, also if a link could not bring it.
  named() {
    return this.file?.name ?? (this.text.value ? '' : this.missing);
  }

  faults() {
    if (this.file && this.file.size > this.maxUpload) return [tooLarge('requests', this.file, this.maxUpload)];
    if (!this.file && this.named()) {
      return [{ field: 'requests', message: `The times were in the file ${this.named()}, which a link cannot bring: choose it again.` }];
    }
    return [];
  }

  take(file) {
    if (!file) return;
    this.file = file;
    this.missing = '';
    this.show();
    this.changed();
  }

  type(text) {
    this.text.value = text;
    this.missing = '';
    this.drop();
    this.changed();
  }

  // paste keeps a text that no entry can show quickly as a file.
  paste(event) {
    const text = event.clipboardData?.getData('text') ?? '';
    if (text.length < large) return;
    event.preventDefault();
    this.take(new File([text], 'what was pasted'));
  }

  drop() {
    this.file = null;
    $('requests-input').value = '';
    this.show();
  }

  show() {
    const line = $('requests-file');
    line.hidden = !this.file;
    this.text.hidden = Boolean(this.file);
    if (!this.file) return;
    const remove = el('button', { type: 'button', className: 'quiet', 'aria-label': 'Put the file away' }, '✕');
    remove.addEventListener('click', () => {
      this.drop();
      this.text.focus();
      this.changed();
    });
    line.replaceChildren(el('strong', {}, this.file.name), ` ${size(this.file.size)} `, remove);
  }

  // goTo selects an entry, counted from 1, so that it can be seen and written anew.
  goTo(number) {
    const entry = [...entries(this.text.value)][number - 1];
    if (!entry) return;
    this.text.focus();
    this.text.setSelectionRange(entry.at, entry.at + entry.text.length);
  }
}

// entries are the requests of a text, and where they stand in it. Between them
// are commas or line ends; what follows a # is a comment.
function* entries(text) {
  let start = 0;
  for (const line of text.split('\n')) {
    let at = start;
    for (const piece of line.split('#')[0].split(',')) {
      const entry = piece.trim();
      if (entry) yield { text: entry, at: at + piece.indexOf(entry) };
      at += piece.length + 1;
    }
    start += line.length + 1;
  }
}

export function size(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1e5 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / (1 << 20)).toFixed(1)} MiB`;
}

export function tooLarge(field, file, most) {
  return { field, message: `${file.name} has ${size(file.size)}, and no more than ${size(most)} are taken here (--max-upload)` };
}

// acceptDrops takes the first file that is dropped somewhere.
export function acceptDrops(area, take) {
  const over = (on) => (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    area.classList.toggle('over', on);
  };
  area.addEventListener('dragenter', over(true));
  area.addEventListener('dragover', over(true));
  area.addEventListener('dragleave', over(false));
  area.addEventListener('drop', (event) => {
    over(false)(event);
    take(event.dataTransfer?.files[0]);
  });
}
