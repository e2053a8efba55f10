// Checks what the C++ tests of documents have written.
//
//   node check_library.mjs SCHEMA TURNS SHORTEST
//
// Each line of TURNS is {"response": ..., "events": [...]}. SHORTEST is a response of another hand,
// which the schema takes, too.
import { Failure, shown } from "./failure.mjs";
import { checkMutants } from "./mutants.mjs";
import { parseJson, readText } from "./read.mjs";
import { Schema } from "./schema.mjs";
import { checkTurn } from "./turn.mjs";

const documentTypes = [
  "text", "code_reference", "code_block", "file_edit", "tool_call", "terminal_command", "plan",
  "clarification", "error", "todo_update",
];
const eventNames = [
  "document_start", "content_delta", "tool_call_start", "tool_call_arguments", "tool_result",
  "document_end", "done",
];
const fewestTurns = 40;

const [schemaFile, turnsFile, shortestFile] = process.argv.slice(2);
const schema = new Schema(schemaFile);
const shortest = parseJson(readText(shortestFile));
for (const documents of [shortest.documents, ...shortest.documents.map((one) => [one])]) {
  schema.checkResponse({ ...shortest, documents });
}
const turns = [];
let failures = 0;
readText(turnsFile).trimEnd().split("\n").forEach((line, index) => {
  try {
    const turn = parseJson(line);
    checkTurn(schema, turn.events, turn.response);
    turns.push(turn);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    failures++;
    console.log(`FAILED: line ${index + 1}: ${shown(line)}\n${error.message}`);
  }
});

function count(words, expected) {
  const counts = Object.fromEntries(expected.map((word) => [word, 0]));
  for (const word of words) counts[word]++;
  for (const word of expected.filter((word) => counts[word] === 0)) {
    failures++;
    console.log(`FAILED: there is no ${word}`);
  }
  return expected.map((word) => `${word} ${counts[word]}`).join(", ");
}
const documents = turns.flatMap(({ response }) => response.documents);
const events = turns.flatMap((turn) => turn.events);
console.log(`${turns.length} responses, ${documents.length} documents, ${events.length} events`);
console.log(`documents: ${count(documents.map(({ type }) => type), documentTypes)}`);
console.log(`events: ${count(events.map(({ event }) => event), eventNames)}`);
if (turns.length >= fewestTurns) {
  failures += checkMutants(schema, turns);
} else {
  failures++;
  console.log(`FAILED: fewer than ${fewestTurns} responses were good`);
}
process.exitCode = failures === 0 ? 0 : 1;
