// Longest text of a tool that is kept in the browser, in characters.
const kMaxKeptText = 20_000;

// The answer to one message: its parts in order, and how it ended. A part is
//   {kind: 'document', id, type, content, metadata, open}   see docs/documents.md
//   {kind: 'thinking', text, open}
//   {kind: 'approval', id, toolName, arguments, documentId, state}
// where `state` is waiting, sending, approved, denied or expired; `problem` says why a decision was not taken.
export class Answer {
  constructor(value = {}) {
    this.parts = value.parts ?? [];
    this.status = value.status ?? 'streaming';  // completed, failed, stopped
    this.error = value.error ?? null;           // {message, advice}
    this.usage = value.usage ?? null;
    this.duration = value.duration ?? null;
    this.model = value.model ?? '';
    this.mode = value.mode ?? '';
  }

  // The user is to decide on something.
  get waits() {
    return this.parts.some((part) => part.kind === 'approval' && part.state === 'waiting');
  }

  document(id) {
    return this.parts.find((part) => part.kind === 'document' && part.id === id);
  }

  // The next event of the stream. Returns the part that it has changed; null: none.
  apply(event) {
    switch (event.event) {
      case 'thinking_delta':
        return this.#think(event.delta);
      case 'document_start':
        this.#endThinking();
        return this.#add({ kind: 'document', id: event.id, type: event.type, content: null,
                           metadata: event.metadata, open: true });
      case 'content_delta':
        return this.#change(event, (part) => { part.content = (part.content ?? '') + event.delta; });
      case 'tool_call_arguments':
        return this.#change(event, ({ type, metadata }) => {
          if (type === 'tool_call') metadata.arguments = event.arguments;
          if (type === 'terminal_command') metadata.command ||= event.arguments.command ?? '';
        });
      case 'document_end':
        return this.#change(event, (part) => {
          part.open = false;
          part.content = event.finalContent ?? null;
          part.metadata = event.metadata ?? part.metadata;
        });
      case 'approval_required':
        return this.#add({ kind: 'approval', id: event.id, toolName: event.toolName,
                           arguments: event.arguments ?? {}, documentId: event.documentId ?? '',
                           state: 'waiting' });
      case 'done':
        this.end(event.status === 'completed' ? 'completed' : 'failed');
        this.usage = event.usage;
        this.duration = event.metadata.duration_ms;
        return null;
      default:
        return null;
    }
  }

  // Nothing more comes.
  end(status, error = null) {
    this.status = status;
    this.error = error;
    for (const part of this.parts) {
      part.open = false;
      if (part.kind === 'approval' && ['waiting', 'sending'].includes(part.state)) part.state = 'expired';
    }
  }

  // What the browser keeps: without the middle of long texts of tools.
  kept() {
    const parts = this.parts.map((part) => part.kind === 'document' && part.type !== 'text'
      ? { ...part, metadata: shortened(part.metadata),
          content: part.type === 'file_edit' ? shortened(part.content) : part.content } : part);
    return { ...this, parts };
  }

  // The answer as messages of a request, for a gateway that does not have the conversation.
  // `prefix` makes the ids of calls differ from those of other answers.
  toMessages(prefix) {
    const messages = [];
    let text = '';
    const flush = () => {
      if (text.trim() !== '') messages.push({ role: 'assistant', content: text.trim() });
      text = '';
    };
    this.parts.forEach((part, index) => {
      if (part.kind !== 'document') return;
      const { call, said } = contentOf(part);
      if (call === null) {
        text += `${said}\n\n`;
        return;
      }
      flush();
      const id = `call_${prefix}_${index}`;
      messages.push(
        { role: 'assistant', content: null,
          tool_calls: [{ id, type: 'function',
                         function: { name: call.name, arguments: JSON.stringify(call.arguments) } }] },
        { role: 'tool', tool_call_id: id, content: call.result });
    });
    flush();
    // A request must not end an answer with the result of a call: something was said after it.
    if (messages.at(-1)?.role === 'tool') {
      messages.push({ role: 'assistant', content: this.status === 'completed'
        ? 'Done.' : 'I was interrupted.' });
    }
    return messages;
  }

  #add(part) {
    this.parts.push(part);
    return part;
  }

  #change(event, change) {
    const part = this.document(event.documentId);
    if (part === undefined) return null;
    change(part);
    return part;
  }

  #think(text) {
    let part = this.parts.at(-1);
    if (part?.kind !== 'thinking' || !part.open) {
      part = this.#add({ kind: 'thinking', text: '', open: true });
    }
    part.text += text;
    return part;
  }

  #endThinking() {
    const part = this.parts.at(-1);
    if (part?.kind === 'thinking') part.open = false;
  }
}

function shortened(value) {
  if (typeof value === 'string' && value.length > kMaxKeptText) {
    const half = kMaxKeptText / 2;
    return `${value.slice(0, half)}\n[${value.length - kMaxKeptText} characters were not kept]\n` +
      value.slice(-half);
  }
  if (Array.isArray(value)) return value.map(shortened);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]));
}

// The longest run of backticks decides the fence around a text.
function fenced(info, text) {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(runs.reduce((length, run) => Math.max(length, run.length + 1), 3));
  return `${fence}${info}\n${text}\n${fence}`;
}

// A document as a `call`, or as what was `said`.
function contentOf(part) {
  try {
    const call = callOf(part);
    return { call, said: call === null ? textOf(part) : '' };
  } catch (error) {
    // It has another shape than this page knows; the model can read it all the same.
    console.error(error);
    return { call: null, said: JSON.stringify({ type: part.type, content: part.content, metadata: part.metadata }) };
  }
}

function textOf({ type, content, metadata }) {
  switch (type) {
    case 'code_block':
      return fenced(metadata.language, content ?? '');
    case 'code_reference':
      return fenced(`${metadata.startLine}:${metadata.endLine}:${metadata.filePath}`, content ?? '');
    case 'plan':
      return `Plan: ${metadata.title}\n${metadata.overview}\n\n${content ?? ''}\n` +
        metadata.todos.map((todo) => `- [${todo.status}] ${todo.content}`).join('\n');
    case 'clarification':
      return [content ?? '', ...metadata.questions.map((question) =>
        [question.text, ...question.options.map((option) => `- ${option.label}`)].join('\n'))].join('\n');
    case 'todo_update':
      return metadata.todos.map((todo) => `${todo.id}: ${todo.status}`).join('\n');
    case 'error':
      return `Error: ${content}`;
    default:
      return content ?? '';
  }
}

// A document that was an action, as a call with its result. null: it was something said.
function callOf({ type, content, metadata }) {
  switch (type) {
    case 'tool_call':
      return { name: metadata.toolName, arguments: metadata.arguments ?? {},
               result: JSON.stringify(metadata.result ?? { status: 'interrupted' }) };
    case 'file_edit':
      return { name: 'edit_file',
               arguments: { path: metadata.filePath, operation: metadata.operation,
                            ...(content == null ? {} : { code_edit: content }) },
               result: JSON.stringify(metadata.diff ?? { status: metadata.operation === 'create' ? 'success' : 'not known' }) };
    case 'terminal_command':
      return { name: 'run_terminal_cmd',
               arguments: { command: metadata.command, workingDirectory: metadata.workingDirectory },
               result: JSON.stringify({ status: metadata.status ?? 'interrupted',
                                        exitCode: metadata.exitCode, output: metadata.output }) };
    default:
      return null;
  }
}
