// What the page asks of the server that it comes from.

// A Failure is what the server found wrong: a list of { field, model, entry, message }.
export class Failure extends Error {
  constructor(faults) {
    super(faults[0].message);
    this.faults = faults;
  }
}

export function get(path, params, signal) {
  return ask(`api/${path}?${params ?? ''}`, { signal });
}

// post sends a text or a file.
export function post(path, params, body, signal) {
  return ask(`api/${path}?${params}`, { method: 'POST', body, signal });
}

async function ask(url, options) {
  let response;
  try {
    response = await fetch(url, options);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Failure([{ field: '', message: unreachable(options.body) }]);
  }
  const answer = await response.json().catch(() => null);
  if (response.ok && answer) return answer;
  throw new Failure(answer?.errors ?? [{ field: '', message: `The server answered with status ${response.status}.` }]);
}

function unreachable(body) {
  if (body instanceof File) {
    return `The server did not answer, or ${body.name} could not be read: is headway serve still running, and the file as it was?`;
  }
  return 'The server did not answer: is headway serve still running?';
}
