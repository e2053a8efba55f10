// Checks what cursor-chat has written of one answer in each format of documents.
//
//   node check_program.mjs SCHEMA RESPONSE NDJSON SSE
//
// They are files of three runs: --format documents, documents-stream and documents-sse.
import { Failure } from "./failure.mjs";
import { parseJson, readNdjson, readSse, readText } from "./read.mjs";
import { Schema } from "./schema.mjs";
import { checkTurn, expectSame } from "./turn.mjs";

const [schemaFile, responseFile, ndjsonFile, sseFile] = process.argv.slice(2);

// Without what is another in each run: ids of the answer, and times.
function lasting({ id, conversationId, created, ...answer }) {
  const { duration_ms, ...metadata } = answer.metadata;
  const documents = answer.documents.map((document) => {
    const { duration_ms: took, ...others } = document.metadata;
    return { ...document, metadata: { ...others, took: typeof took } };
  });
  return { ...answer, metadata, documents };
}

try {
  const schema = new Schema(schemaFile);
  const response = parseJson(readText(responseFile));
  schema.checkResponse(response);
  for (const [format, events] of [["NDJSON", readNdjson(ndjsonFile)], ["SSE", readSse(sseFile)]]) {
    const rebuilt = checkTurn(schema, events);
    expectSame(lasting(rebuilt), lasting(response));
    const types = rebuilt.documents.map(({ type }) => type);
    console.log(`${format}: ${events.length} events, ${rebuilt.status}: ${types.join(" ")}`);
  }
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  console.log(`FAILED: ${error.message}`);
  process.exitCode = 1;
}
