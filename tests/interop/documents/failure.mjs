// Why a check fails. `by` names the check: "json", "schema", "events", "difference" or "claim".
export class Failure extends Error {
  constructor(by, message) {
    super(`${by}: ${message}`);
    this.by = by;
  }
}

// For messages: a value on one line, if it is long its beginning.
export function shown(value, limit = 4000) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= limit ? text : `${text.slice(0, limit)}... (${text.length} characters)`;
}
