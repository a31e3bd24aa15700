// A table of very many rows, a page at a time.

import { el } from './dom.js';
import { count } from './format.js';

export const pageSize = 100;

export class Table {
  // columns are { label, cell(row) }; groups, if any, are { label, span } above
  // them. It calls wanted(first, find) for another page.
  constructor(container, label, wanted) {
    this.wanted = wanted;
    this.head = el('thead');
    this.body = el('tbody');
    this.table = el('table', {}, el('caption', { className: 'sr-only' }, label), this.head, this.body);
    this.box = el('div', { className: 'scroll', role: 'region', 'aria-label': label, tabIndex: 0 }, this.table);
    this.pager = el('nav', { className: 'pager', 'aria-label': `Pages: ${label}` });
    this.where = el('span', { role: 'status' });
    this.jump = el('input', { id: `${container.id}-row`, inputMode: 'numeric', autocomplete: 'off' });
    this.fill();
    container.append(this.box, this.pager);
    this.container = container;
  }

  fill() {
    const button = (text, label, first, find) => {
      const it = el('button', { type: 'button', 'aria-label': label }, text);
      it.addEventListener('click', () => this.wanted(Math.max(1, first()), find));
      return it;
    };
    this.back = [button('«', 'First page', () => 1), button('‹', 'Page before', () => this.first - pageSize)];
    this.on = [button('›', 'Next page', () => this.first + pageSize), button('»', 'Last page', () => this.total - pageSize + 1)];
    this.refused = button('Next refused', 'Go to the next refused request', () => this.last + 1, true);
    const go = el('form', { className: 'actions' }, el('label', { htmlFor: this.jump.id }, 'Go to'), this.jump);
    go.addEventListener('submit', (event) => {
      event.preventDefault();
      const row = Number.parseInt(this.jump.value.replaceAll(',', ''), 10);
      if (row >= 1) this.wanted(Math.min(row, this.total), false);
    });
    this.pager.append(...this.back, this.where, ...this.on, go, this.refused);
  }

  // show shows one page: rows of all that there are in total.
  show({ columns, groups, rows, total }) {
    if (!rows.length) {
      this.where.textContent = 'No further one';
      this.refused.disabled = true;
      return;
    }
    this.total = total;
    this.first = rows[0].number;
    this.last = rows.at(-1).number;
    this.head.replaceChildren(...headings(columns, groups));
    this.body.replaceChildren(...rows.map((row) => tableRow(row, columns)));
    this.where.textContent = `${count(this.first)} to ${count(this.last)} of ${count(total)}`;
    for (const it of this.back) it.disabled = this.first <= 1;
    for (const it of [...this.on, this.refused]) it.disabled = this.last >= total;
    this.pager.hidden = total <= pageSize;
    this.box.scrollTop = 0;
  }
}

function tableRow(row, columns) {
  return el('tr', {}, ...columns.map(({ cell }, i) => {
    const { text, className } = asCell(cell(row));
    return el(i === 0 ? 'th' : 'td', { className, scope: i === 0 ? 'row' : undefined }, text);
  }));
}

function headings(columns, groups) {
  const labels = el('tr', {}, ...columns.map(({ label }) => el('th', { scope: 'col' }, label)));
  if (!groups) return [labels];
  return [el('tr', { className: 'groups' }, ...groups.map(({ label, span }) => el('th', { scope: 'colgroup', colSpan: span }, label))), labels];
}

const asCell = (cell) => (typeof cell === 'object' ? cell : { text: cell });

// plainTable is a table of few rows. columns are pairs of a label and what is in
// the cell of a row.
export function plainTable(label, columns, rows, className = '') {
  return el('div', { className: `scroll ${className}`, role: 'region', 'aria-label': label, tabIndex: 0 },
    el('table', {},
      el('caption', { className: 'sr-only' }, label),
      el('thead', {}, ...headings(columns.map(([label]) => ({ label })))),
      el('tbody', {}, ...rows.map((row) => tableRow(row, columns.map(([, cell]) => ({ cell })))))));
}
