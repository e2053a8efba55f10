// Tries whether the checks see a fault: each mutant is a good turn with one thing wrong.
import { isDeepStrictEqual } from "node:util";

import { Failure } from "./failure.mjs";
import { checkTurn } from "./turn.mjs";

// By the check that must see it. Each changes the turn that it is given, if that has what it wants
// to change.
const mutants = {
  schema: {
    "a number is a text": ({ response }) => (response.metadata.turnCount += ""),
    "a member is missing": ({ response }) => delete response.model,
    "a member too many": ({ response }) => (response.usage.tokens = 1),
    "a time without its zone": ({ response }) => (response.created = response.created.slice(0, -1)),
    "an unknown type": ({ response }) => set(response.documents[0], "type", "note"),
    "an unknown event": ({ events }) => set(events[0], "event", "document_begin"),
    "an event of no document": ({ events }) => set(first(events, "content_delta"), "documentId"),
    "the metadata of another type": ({ events }) =>
      set(events.find(({ type }) => type === "tool_call"), "metadata", { todos: [] }),
  },
  events: {
    "a piece is missing": ({ events }) => remove(events, "content_delta"),
    "a start is missing": ({ events }) => remove(events, "document_start"),
    "an end is missing": ({ events }) => remove(events, "document_end"),
    "no done": ({ events }) => remove(events, "done"),
    "done comes twice": ({ events }) => events.push(events.at(-1)),
    "another result": ({ events, response }) => {
      if (response.documents[0]?.type !== "tool_call") return;
      set(first(events, "tool_result")?.result, "data", "nothing of the kind");
    },
  },
  difference: {
    "a document is missing": ({ response }) => response.documents.pop(),
    "no documents at all": ({ response }) => (response.documents = []),
    "another content": ({ response: { documents } }) =>
      set(documents.find(({ content }) => content), "content", "something else"),
    "another model": ({ response }) => (response.model += "x"),
    "0 where nothing was said": ({ response: { usage } }) => (usage.cacheReadTokens ??= 0),
    "another end": ({ events }) =>
      set(events.find(isEndOfCommand)?.metadata, "command", "something else"),
  },
  claim: {
    "a call that was not counted": ({ events, response }) => {
      for (const { metadata } of [events.at(-1), response]) metadata.toolCallCount++;
    },
    "lines of the new text": ({ events, response }) => {
      const edit = response.documents.find(({ metadata }) => metadata.diff?.startLine);
      if (!edit) return;
      const end = events.find(({ event, documentId }) => event === "document_end" && documentId === edit.id);
      for (const { metadata } of [edit, end]) metadata.diff.endLine++;
    },
    "an error of another tool": ({ events, response }) => {
      const error = response.documents.find(({ metadata }) => metadata.documentId);
      if (!error) return;
      const start = events.find(({ event, id }) => event === "document_start" && id === error.id);
      for (const { metadata } of [error, start]) metadata.source += "x";
    },
    "a wrong sum": ({ events, response }) => {
      for (const { usage } of [events.at(-1), response]) usage.totalTokens++;
    },
  },
};

const first = (events, name) => events.find(({ event }) => event === name);
const isEndOfCommand = ({ event, metadata }) => event === "document_end" && metadata?.command;
// Without a value, the member goes.
function set(object, member, value) {
  if (!object) return;
  if (value === undefined) delete object[member];
  else object[member] = value;
}
function remove(events, name) {
  const place = events.findIndex(({ event }) => event === name);
  if (place >= 0) events.splice(place, 1);
}

// Tells of those that are not seen, and returns their number.
export function checkMutants(schema, turns) {
  let failures = 0;
  let tried = 0;
  for (const [by, changes] of Object.entries(mutants)) {
    for (const [what, change] of Object.entries(changes)) {
      tried++;
      const seen = new Set(turns.map((turn) => verdict(schema, turn, change)));
      if (seen.has(by) && !seen.has("passed")) continue;
      failures++;
      console.log(`FAILED: the ${by} must see "${what}", but: ${[...seen].join(", ")}`);
    }
  }
  console.log(`${tried} kinds of faults were put in, ${failures} of them not seen`);
  return failures;
}

function verdict(schema, turn, change) {
  const mutant = structuredClone(turn);
  change(mutant);
  if (isDeepStrictEqual(mutant, turn)) return "not changed";
  try {
    checkTurn(schema, mutant.events, mutant.response);
    return "passed";
  } catch (error) {
    if (error instanceof Failure) return error.by;
    throw error;
  }
}
