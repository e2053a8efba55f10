import { codeBlock } from './code_view.js';
import { changeView } from './diff_view.js';
import { checkBox, element, visibleText } from './dom.js';
import { showMarkdown } from './markdown.js';

// Outputs with more lines are closed at first.
const kOpenLines = 20;
// Longest command that is read in the head of its card, in characters.
const kShortCommand = 60;

// The view of one document of an answer (docs/documents.md): made once, and updated as it streams.
// `answer(text)` puts the answer to a question of the agent before the user.
export class DocumentView {
  constructor(part, context) {
    this.part = part;
    this.context = context;
    this.body = element('div', { className: `document ${part.type}` });
    this.approvals = element('div', { className: 'approvals' });
    this.node = element('div', { dataset: { document: part.id } }, this.body, this.approvals);
    this.update();
  }

  update() {
    const show = Object.hasOwn(kShow, this.part.type) ? kShow[this.part.type] : showUnknown;
    try {
      show(this.body, this.part, this.context);
    } catch (error) {
      // It has another shape than this page knows: that of a later gateway, or of what a browser kept.
      console.error(error);
      showUnknown(this.body, this.part);
    }
  }

  addApproval(node) {
    this.approvals.append(node);
  }
}

const kShow = {
  text(body, { content, metadata }) {
    if (metadata.format === 'plain') body.replaceChildren(element('p', { className: 'plain' }, content ?? ''));
    else showMarkdown(body, content ?? '');
  },

  code_block(body, { content, metadata }) {
    showCode(body, content ?? '', metadata.language, metadata.filePath ?? metadata.language);
  },

  code_reference(body, { content, metadata }) {
    showCode(body, content ?? '', metadata.language,
             `${metadata.filePath}, lines ${metadata.startLine} to ${metadata.endLine}`);
  },

  file_edit(body, part) {
    const { filePath, operation, language, diff } = part.metadata;
    const words = { create: 'Create', edit: 'Edit', delete: 'Delete', rename: 'Rename' };
    const inner = [];
    if (diff != null) inner.push(changeView(diff.oldString, diff.newString));
    else if (operation === 'create') inner.push(changeView('', part.content ?? ''));
    else if (part.content) inner.push(codeBlock(part.content, language, language));
    showCard(body, { part, verb: words[operation] ?? operation, subject: filePath,
                     state: part.open ? 'running' : '', isOpen: true, inner });
  },

  tool_call(body, part) {
    const { toolName, arguments: given, result, duration_ms: duration } = part.metadata;
    const inner = [section('Arguments', element('pre', { tabIndex: 0 }, json(given)))];
    if (result !== null) inner.push(section('Result', element('pre', { tabIndex: 0 }, json(result.data))));
    showCard(body, { part, verb: toolName, subject: shortArguments(given), duration,
                     state: result?.status ?? (part.open ? 'running' : 'stopped'),
                     isOpen: false, inner });
  },

  terminal_command(body, part) {
    const { command, workingDirectory, exitCode, output, status, duration_ms: duration } = part.metadata;
    const inner = [];
    if (command.length > kShortCommand || command.includes('\n')) {
      inner.push(element('pre', { className: 'command', tabIndex: 0 }, visibleText(command)));
    }
    if (workingDirectory) {
      inner.push(element('p', { className: 'detail' }, 'In the folder ', element('code', {}, visibleText(workingDirectory))));
    }
    if (output) inner.push(element('pre', { className: 'output', tabIndex: 0 }, visibleText(withoutStyles(output))));
    showCard(body, { part, verb: 'Run', subject: command.split(/\r?\n/)[0], duration,
                     more: exitCode ? `exit code ${exitCode}` : '', state: status ?? (part.open ? 'running' : 'stopped'),
                     isOpen: output.split('\n').length <= kOpenLines, inner });
  },

  plan(body, { content, metadata }) {
    const text = element('div');
    showMarkdown(text, withoutTitle(content ?? '', metadata.title));
    body.replaceChildren(
      element('h2', {}, metadata.title || 'Plan'),
      metadata.overview ? element('p', {}, metadata.overview) : '',
      text, todoList(metadata.todos));
  },

  clarification(body, { content, metadata }, context) {
    body.replaceChildren(element('h2', {}, content || 'The agent asks'),
      element('div', {}, metadata.questions.map((question) => element('div', { className: 'ask' },
        element('p', {}, question.text),
        element('div', { className: 'row' }, question.options.map((option) =>
          optionButton(question, option, context)))))));
  },

  todo_update(body, { metadata }) {
    body.replaceChildren(element('p', { className: 'note' }, 'List of things to do'),
      todoList(metadata.todos.map((todo) => ({ ...todo, content: todo.content ?? todo.id }))));
  },

  error(body, { content, metadata }) {
    const { errorCode, source, details } = metadata;
    const more = typeof details === 'string' && !(content ?? '').includes(details) ? details : '';
    body.replaceChildren(element('p', {}, element('strong', {}, 'Error: '), content ?? ''),
      more ? element('p', {}, more) : '',
      element('p', { className: 'note' }, `${errorCode}, told by: ${source}`));
  },
};

// A type or shape that is newer than this page.
function showUnknown(body, { type, content, metadata }) {
  body.replaceChildren(element('p', {}, `${type}: `, content ?? ''),
                       element('pre', { tabIndex: 0 }, json(metadata)));
}

// The text of a block grows in place, so that a selection and the button stay.
function showCode(body, code, language, name) {
  const shown = body.querySelector('pre > code');
  if (shown === null) body.replaceChildren(codeBlock(code, language, name));
  else if (code.startsWith(shown.textContent)) shown.append(code.slice(shown.textContent.length));
  else shown.textContent = code;
}

const kStates = { running: 'running', success: 'done', error: 'failed', stopped: 'not finished' };

function showCard(body, { part, verb, subject, state, more = '', duration, isOpen, inner }) {
  // Whether it is open is the user's choice once it was shown.
  const open = body.querySelector('details')?.open ?? isOpen;
  const words = [kStates[state], more, duration > 0 ? seconds(duration) : ''].filter(Boolean).join(', ');
  const summary = element('summary', {},
    element('span', { className: 'verb' }, verb),
    element('code', { className: 'subject', title: visibleText(subject) }, visibleText(subject)),
    element('span', { className: `state ${state}` }, words));
  const card = element('details', { className: 'card', open }, summary, inner);
  const focused = body.contains(document.activeElement) && document.activeElement.tagName === 'SUMMARY';
  body.replaceChildren(card);
  if (focused) summary.focus();
  body.setAttribute('aria-busy', String(Boolean(part.open)));
}

// What a terminal would show of it: colours and movements of the cursor are left out.
function withoutStyles(output) {
  return output.replace(/\u001b\[[0-?]*[ -/]*[@-~]/g, '').replace(/\r\n/g, '\n');
}

function section(name, node) {
  return element('div', {}, element('p', { className: 'note' }, name), node);
}

// Plans tend to begin with their title.
function withoutTitle(text, title) {
  const [first, ...rest] = text.trimStart().split('\n');
  return first.replace(/^#+/, '').trim() === title ? rest.join('\n') : text;
}

function todoList(todos) {
  return element('ul', { className: 'todos' }, todos.map(({ content, status }) =>
    element('li', { className: status },
      checkBox(status),
      element('span', {}, content),
      ['in_progress', 'cancelled'].includes(status)
        ? element('span', { className: 'state' }, status.replace('_', ' ')) : null)));
}

function optionButton(question, option, context) {
  const button = element('button', { type: 'button', className: 'button' }, option.label);
  button.addEventListener('click', () => context.answer(`${question.text} ${option.label}`));
  return button;
}

function json(value) {
  return visibleText(typeof value === 'string' ? value : JSON.stringify(value, null, 2) ?? '');
}

// What tells calls of a tool apart, on one line.
function shortArguments(given) {
  return Object.values(given ?? {}).filter((value) => ['string', 'number'].includes(typeof value))
    .join(' ').replace(/\s+/g, ' ').slice(0, 120);
}

export function seconds(milliseconds) {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
