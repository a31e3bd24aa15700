// The state of the page is in its address, so that a link brings it back:
// #view?name=value&name=value

import { $ } from './dom.js';

const longest = 8000; // characters of a link: not all programs pass on more

export function read() {
  const hash = location.hash.slice(1);
  const at = hash.indexOf('?');
  if (at < 0) return { view: hash, params: new URLSearchParams() };
  return { view: hash.slice(0, at), params: new URLSearchParams(hash.slice(at + 1)) };
}

// write puts the state in the address, without the names in optional if it is
// too long with them. It tells whether all is in it. A tool that was left before
// it came to that leaves the address alone.
export function write(view, params, optional = []) {
  let link = format(view, params);
  const whole = link.length <= longest;
  if (!whole) {
    const rest = new URLSearchParams(params);
    for (const name of optional) rest.delete(name);
    link = format(view, rest);
  }
  if (!$(view).hidden) history.replaceState(null, '', link);
  return whole;
}

// format leaves as it is what need not be escaped behind a #, to be read by people.
function format(view, params) {
  const query = params.toString().replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%3D', '=').replaceAll('%2F', '/');
  return `#${view}${query ? `?${query}` : ''}`;
}
