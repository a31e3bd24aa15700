// Axes, and the numbers on them.

import { colour } from './dom.js';

const font = '12px system-ui, sans-serif';

const base = {
  font,
  gap: 4,
  stroke: () => colour('--soft'),
  grid: { stroke: () => colour('--grid'), width: 1 },
  ticks: { stroke: () => colour('--grid'), width: 1, size: 4 },
};

const steps = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => [1, 2, 5].map((n) => Number(`${n}e${from + i}`))).flat();

const numbers = (u, splits) => splits.map((v) => (v === null ? '' : String(Number(v.toPrecision(12)))));

// The units of time, and the steps that they are told in.
const units = [
  [86400, 'd', steps(0, 5)], [3600, 'h', [1, 2, 3, 6, 12, 24, 48]], [60, 'min', [1, 2, 5, 10, 15, 30, 60, 120]], [1, 's', steps(-9, 3)],
];

// unitFor is the unit for so many seconds.
const unitFor = (seconds) => units.find(([unit]) => seconds >= 3 * unit) ?? units.at(-1);

// The kinds of axis along the bottom: seconds since the start of something,
// seconds since 1970, and numbers of which none lies between 1 and 2.
const bottoms = {
  seconds: {
    incrs: (u, axis, low, high) => {
      const [unit, , each] = unitFor(high - low);
      return each.map((n) => n * unit);
    },
    values: (u, splits) => {
      const [unit, name] = unitFor(u.scales.x.max - u.scales.x.min);
      return splits.map((v) => (v === null ? '' : `${Number((v / unit).toPrecision(12))} ${name}`));
    },
  },
  calendar: {},
  whole: { incrs: steps(0, 9), values: numbers },
};

export const bottom = (kind) => ({ ...base, size: kind === 'calendar' ? 44 : 30, ...bottoms[kind] });

// left is the axis at the left, of numbers with a unit.
export const left = (unit) => ({ ...base, size: 52, values: (u, splits) => numbers(u, splits).map((text) => text && text + unit) });
