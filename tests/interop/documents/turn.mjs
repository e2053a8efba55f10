// All checks of one turn.
import { isDeepStrictEqual } from "node:util";

import { checkClaims } from "./claims.mjs";
import { Failure } from "./failure.mjs";
import { Rebuild } from "./rebuild.mjs";

// Returns the response that the events make. Throws a Failure, also if `response` is another one.
export function checkTurn(schema, events, response) {
  if (response) schema.checkResponse(response);
  const rebuild = new Rebuild();
  for (const event of events) {
    schema.checkEvent(event);
    rebuild.apply(event);
  }
  const rebuilt = rebuild.response();
  schema.checkResponse(rebuilt);
  if (response) expectSame(rebuilt, response);
  checkClaims(rebuilt, rebuild.calls);
  return rebuilt;
}

// The order of members does not count; which there are and of which type does.
export function expectSame(rebuilt, response) {
  if (isDeepStrictEqual(rebuilt, response)) return;
  const values = `rebuilt:  ${JSON.stringify(rebuilt)}\nresponse: ${JSON.stringify(response)}`;
  throw new Failure("difference", `the events make another response\n${values}`);
}
