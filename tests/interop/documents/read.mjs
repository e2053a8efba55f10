// Reads what the library and the program write.
import { readFileSync } from "node:fs";

import { createParser } from "eventsource-parser";

import { Failure, shown } from "./failure.mjs";

export function readText(file) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    throw new Failure("json", `${file}: ${error.message}`);
  }
}

// One JSON text. Half a surrogate pair in a string is an error: it is no character.
export function parseJson(text) {
  try {
    return JSON.parse(text, (_, value) => {
      if (typeof value === "string" && !value.isWellFormed()) throw new Error("half a character");
      return value;
    });
  } catch (error) {
    throw new Failure("json", `${error.message}: ${shown(text)}`);
  }
}

// Lines of JSON; each ends with a line end.
export function readNdjson(file) {
  const lines = readText(file).split("\n");
  if (lines.pop() !== "") throw new Failure("json", `the last line of ${file} has no end`);
  return lines.map(parseJson);
}

// Server-sent events whose names are those in their data.
export function readSse(file) {
  const messages = [];
  const parser = createParser({
    onEvent: (message) => messages.push(message),
    onError: (error) => {
      throw new Failure("json", `${file}: ${error.message}`);
    },
  });
  parser.feed(readText(file));
  return messages.map(({ event, data }) => {
    const value = parseJson(data);
    if (event !== value.event) throw new Failure("json", `event: ${event} has the data ${data}`);
    return value;
  });
}
