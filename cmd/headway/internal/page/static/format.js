// Numbers as people read them.

const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });

export const count = (n) => grouped.format(n);

// number has at most three decimals, or three digits if it is small.
export function number(v) {
  if (v === null || v === undefined) return '–';
  if (v !== 0 && Math.abs(v) < 0.1) return String(Number(v.toPrecision(3)));
  return grouped.format(v);
}

// seconds is exact, for what was typed in or follows from it.
export const seconds = (v) => (v === null || v === undefined ? '–' : String(Number(v.toPrecision(15))));

export function percent(part, all) {
  if (!all) return '–';
  const share = (100 * part) / all;
  return `${share === 0 || share >= 1 ? grouped.format(Math.round(share * 10) / 10) : share.toPrecision(2)}\u00a0%`;
}

export function plural(n, one, many) {
  return `${count(n)} ${n === 1 ? one : many}`;
}

// span is a length of time, in seconds, with a fitting unit.
export function span(s) {
  if (s === null || s === undefined) return '–';
  if (s === 0) return '0\u00a0s';
  const units = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']];
  const [size, unit] = units.find(([size]) => Math.abs(s) >= size * (size > 1 ? 2 : 1)) ?? units.at(-1);
  return `${Number((s / size).toPrecision(4))}\u00a0${unit}`; // which stay together
}
