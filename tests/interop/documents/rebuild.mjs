// Makes a response of its events alone, as the headers (document_event.h, response.h) and the
// schema explain them.
import { isDeepStrictEqual } from "node:util";

import { Failure, shown } from "./failure.mjs";

export class Rebuild {
  // By document id: the calls of tools, {toolName, toolCallId, arguments, result}.
  calls = new Map();
  #documents = [];
  #open = new Map(); // documents by id
  #head;

  apply(event) {
    if (this.#head) fail("it comes after done", event);
    this[`_${event.event}`](event);
  }

  response() {
    if (!this.#head) throw new Failure("events", "there is no done");
    return { ...this.#head, documents: this.#documents };
  }

  _document_start(event) {
    const { id, type, sequence, metadata } = event;
    if (sequence !== this.#documents.length + 1) fail("the sequence has a gap", event);
    if (this.#documents.some((other) => other.id === id)) fail("the id is not new", event);
    const document = { id, type, sequence, content: null, metadata };
    this.#documents.push(document);
    this.#open.set(id, document);
  }

  _content_delta(event) {
    const document = this.#opened(event);
    document.content = (document.content ?? "") + event.delta;
  }

  _tool_call_start(event) {
    this.#opened(event);
    const { documentId, toolName, toolCallId } = event;
    if (this.calls.has(documentId)) fail("it comes twice", event);
    this.calls.set(documentId, { toolName, toolCallId });
  }

  _tool_call_arguments(event) {
    this.#addToCall(event, "arguments");
  }

  _tool_result(event) {
    this.#addToCall(event, "result");
  }

  _document_end(event) {
    const document = this.#opened(event);
    this.#open.delete(event.documentId);
    const { finalContent = null, metadata = document.metadata } = event;
    // An empty content has no pieces.
    if ((document.content ?? "") !== (finalContent ?? "")) {
      fail(`the pieces make ${shown(document.content)}`, event);
    }
    document.content = finalContent;
    document.metadata = metadata;
    if (document.type === "tool_call") this.#checkCall(document);
  }

  _done({ event, ...head }) {
    const open = [...this.#open.keys()];
    if (open.length > 0) throw new Failure("events", `${open} are open when ${event} comes`);
    this.#head = head;
  }

  #opened(event) {
    return this.#open.get(event.documentId) ?? fail("the document is not open", event);
  }

  #addToCall(event, member) {
    this.#opened(event);
    const call = this.calls.get(event.documentId) ?? fail("there is no tool_call_start", event);
    if (member in call) fail("it comes twice", event);
    call[member] = event[member];
  }

  // What the events of a tool said, stands in its document as well.
  #checkCall({ id, metadata }) {
    const call = this.calls.get(id) ?? fail("there is no tool_call_start", metadata);
    const { duration_ms: _, ...said } = metadata;
    const expected = { arguments: {}, result: null, ...call };
    if (!isDeepStrictEqual(said, expected)) fail(`the events said ${shown(expected)}`, said);
  }
}

function fail(why, event) {
  throw new Failure("events", `${why}: ${shown(event)}`);
}
