// What the headers promise of a response in words, which the schema does not say.
import { Failure, shown } from "./failure.mjs";

// `calls` are those of the Rebuild.
export function checkClaims(response, calls) {
  const { documents, usage, metadata } = response;
  const sum = usage.promptTokens + usage.completionTokens;
  expect(usage.totalTokens === sum, `the total is ${sum}`, usage);
  expect(metadata.toolCallCount === calls.size, `there were ${calls.size} calls`, metadata);
  for (const document of documents) claims[document.type]?.(document, documents, calls);
  for (const [id, { result }] of calls) {
    const document = documents.find((other) => other.id === id);
    if (result?.status !== "error" || !["file_edit", "plan", "todo_update"].includes(document.type)) continue;
    const error = documents.find((other) => other.metadata.documentId === id);
    expect(error?.sequence > document.sequence, "an error document follows", document);
  }
}

const claims = {
  text({ content }) {
    expect(!/^[ \t]*\n|\n[ \t]*$/.test(content), "no blank line at the borders", content);
  },

  code_reference({ metadata }) {
    expect(metadata.endLine >= metadata.startLine, "the end is not before the start", metadata);
  },

  file_edit({ content, metadata: { diff } }) {
    if (!diff) return;
    const { oldString, newString, startLine, endLine } = diff;
    expect((content ?? "") === newString, "the content is the new text", { content, diff });
    expect((startLine === null) === (endLine === null), "both lines are known, or none", diff);
    if (startLine === null) return;
    const lines = oldString === "" ? 0 : oldString.replace(/\n$/, "").split("\n").length;
    expect(endLine - startLine + 1 === lines, `there are ${lines} lines`, diff);
  },

  terminal_command({ id, metadata }, _, calls) {
    const said = calls.get(id)?.result?.status ?? null;
    const status = metadata.exitCode ? "error" : said;
    expect(metadata.status === status, `the status is ${status}`, metadata);
  },

  error({ sequence, metadata }, documents, calls) {
    const { source, documentId, toolCallId } = metadata;
    if (documentId === undefined) {
      const sources = ["server", "transport", "protocol", "local"];
      expect(sources.includes(source), "the source is one of a turn", metadata);
      expect(toolCallId === undefined, "there is no call without a document", metadata);
      return;
    }
    const failed = documents.find((other) => other.id === documentId);
    expect(failed?.sequence < sequence, "the document that failed came before", metadata);
    const call = calls.get(documentId);
    expect(
      call?.toolName === source && call.toolCallId === toolCallId,
      `the call was ${call?.toolName} ${call?.toolCallId}`,
      metadata,
    );
  },
};

function expect(holds, what, value) {
  if (!holds) throw new Failure("claim", `${what}: ${shown(value)}`);
}
