// Longest event of a stream, in characters. The gateway bounds a whole answer to 64 MiB.
const kMaxEventLength = 96 * 1024 * 1024;

// Reads server-sent events: yields {event, data} for each, as they come. Comments are skipped, and so
// is an event that the end of the body cuts off. Source: HTML standard, "Server-sent events".
export async function* readEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const pending = { line: '', afterReturn: false, event: '', data: [], length: 0 };
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* takeEvents(pending, value);
      if (pending.line.length + pending.length > kMaxEventLength) {
        throw new Error('an event of the answer is too long');
      }
    }
  } finally {
    reader.cancel().catch(() => {});  // it has ended, or nobody wants the rest
  }
}

// Looks for the ends of lines in the new text alone: an event may come in very many pieces.
function* takeEvents(pending, text) {
  const isEndCutInTwo = pending.afterReturn && text.startsWith('\n');
  const lines = (isEndCutInTwo ? text.slice(1) : text).split(/\r\n|\n|\r/);
  pending.afterReturn = text.endsWith('\r');
  lines[0] = pending.line + lines[0];
  pending.line = lines.pop();
  for (const line of lines) {
    if (line !== '') {
      readLine(pending, line);
      continue;
    }
    if (pending.data.length > 0) yield { event: pending.event, data: pending.data.join('\n') };
    pending.event = '';
    pending.data = [];
    pending.length = 0;
  }
}

function readLine(pending, line) {
  const colon = line.indexOf(':');
  const name = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
  if (name === 'event') pending.event = value;
  if (name !== 'data') return;
  pending.data.push(value);
  pending.length += value.length + 1;
}
