// What is drawn over the level of a model: what became of the requests.

import { clipped, dots } from './chart.js';
import { colour } from './dom.js';

// drawMarks draws a dot for each request that was allowed, and a cross for each
// that was not.
export function drawMarks(u, { allowed, refused }) {
  const r = 3.6 * devicePixelRatio;
  clipped(u, (ctx) => {
    ctx.fillStyle = colour('--good');
    dots(u, allowed.time_seconds, allowed.tokens, (x, y) => {
      ctx.beginPath();
      ctx.arc(x, y, r, 0, 2 * Math.PI);
      ctx.fill();
    });
    ctx.strokeStyle = colour('--bad');
    ctx.lineWidth = 2 * devicePixelRatio;
    dots(u, refused.time_seconds, refused.tokens, (x, y) => {
      ctx.beginPath();
      ctx.moveTo(x - r, y - r);
      ctx.lineTo(x + r, y + r);
      ctx.moveTo(x - r, y + r);
      ctx.lineTo(x + r, y - r);
      ctx.stroke();
    });
  });
}

// drawShares draws a strip at the top, for more requests than can be marked: of
// those of each moment, the share that was refused above the share that was allowed.
export function drawShares(u, { from, width, models }, model) {
  const { allowed, refused } = models[model];
  const x = (column) => u.valToPos(from + column * width, 'x', true);
  clipped(u, (ctx, { top, height }) => {
    const strip = height * 0.12;
    allowed.forEach((good, i) => {
      const all = good + refused[i];
      if (!all) return;
      const wide = Math.max(x(i + 1) - x(i), 1);
      ctx.fillStyle = colour('--good');
      ctx.fillRect(x(i), top, wide, strip);
      ctx.fillStyle = colour('--bad');
      ctx.fillRect(x(i), top, wide, (strip * refused[i]) / all);
    });
  });
}

// drawRule draws an upright line, and what it is called in one of the rows at the top.
export function drawRule(u, at, text, row, ink) {
  clipped(u, (ctx, { left, top, width, height }) => {
    const ratio = devicePixelRatio;
    const x = u.valToPos(at, 'x', true);
    ctx.strokeStyle = ctx.fillStyle = colour(ink);
    ctx.lineWidth = 1.5 * ratio;
    ctx.font = `${12 * ratio}px system-ui, sans-serif`;
    ctx.textAlign = x > left + width * 0.8 ? 'right' : 'left';
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + height);
    ctx.stroke();
    ctx.fillText(text, x + (ctx.textAlign === 'left' ? 5 : -5) * ratio, top + (12 + 16 * row) * ratio);
  });
}
