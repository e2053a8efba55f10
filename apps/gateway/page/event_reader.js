// Longest event of a stream, in characters. The gateway bounds a whole answer to 64 MiB.
const kMaxEventLength = 96 * 1024 * 1024;

// Reads server-sent events: yields {event, data} for each, as they come. Comments are skipped, and so
// is an event that the end of the body cuts off. Source: HTML standard, "Server-sent events".
export async function* readEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const pending = { text: '', event: '', data: [], length: 0 };
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      pending.text += value;
      yield* takeEvents(pending);
      if (pending.text.length + pending.length > kMaxEventLength) {
        throw new Error('an event of the answer is too long');
      }
    }
  } finally {
    reader.cancel().catch(() => {});  // it has ended, or nobody wants the rest
  }
}

function* takeEvents(pending) {
  const lines = pending.text.split(/\r\n|\n|\r(?!$)/);
  pending.text = lines.pop();
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
  pending.length += value.length;
}
