// Small helpers to build elements.

export const $ = (id) => document.getElementById(id);

// el makes an element. Properties that begin with "aria-" or "data-", and those
// of an element that has no such property, are attributes.
export function el(name, props = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key in element && !key.includes('-')) element[key] = value;
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// colour is one of the style sheet, by the name of its property.
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// debounced calls f once nobody has called for a while.
export function debounced(f, ms) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => f(...args), ms);
  };
}
