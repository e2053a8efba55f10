import { ApprovalView } from './approval_view.js';
import { DocumentView, seconds } from './document_view.js';
import { element } from './dom.js';

// What the user said.
export function userMessage(text) {
  return element('article', { className: 'message user', ariaLabel: 'You' }, element('p', { className: 'plain' }, text));
}

// The view of an answer: its parts as they come, and how it ended. `context` has the functions
//   answer(text)                     puts an answer to a question before the user
//   decide(part, approve, reason)    sends a decision
//   retry()                          asks again
export class AnswerView {
  constructor(answer, context) {
    this.answer = answer;
    this.context = context;
    this.views = new Map();  // by part
    this.parts = element('div', { className: 'parts' });
    this.wait = element('p', { className: 'wait' });
    this.end = element('div', { className: 'end' });
    this.node = element('article', { className: 'message agent', ariaLabel: 'Agent' },
                        this.parts, this.wait, this.end);
    for (const part of answer.parts) this.update(part);
    this.updateEnd();
  }

  // Shows a part, which is new or has changed.
  update(part) {
    const view = this.views.get(part);
    if (view === undefined) this.#add(part);
    else view.update();
    this.updateWait();
  }

  updateWait() {
    const { status, waits } = this.answer;
    this.wait.hidden = status !== 'streaming';
    this.wait.textContent = waits ? 'The agent waits for your decision.' : 'The agent is at work\u2026';
  }

  // Shows whether the answer goes on, and how it ended. `isLast`: it can be asked for again.
  updateEnd(isLast = false) {
    const { answer } = this;
    this.updateWait();
    for (const view of this.views.values()) view.update();
    this.end.replaceChildren(...endNodes(answer));
    if (isLast && ['failed', 'stopped'].includes(answer.status)) {
      const retry = element('button', { type: 'button', className: 'button' }, 'Try again');
      retry.addEventListener('click', () => this.context.retry());
      this.end.append(element('div', { className: 'row' }, retry));
    }
  }

  #add(part) {
    const view = viewOf(part, this.context, () => this.updateWait());
    this.views.set(part, view);
    const document = part.kind === 'approval' ? this.answer.document(part.documentId) : undefined;
    if (document === undefined) this.parts.append(view.node);
    else this.views.get(document).addApproval(view.node);
  }
}

function viewOf(part, context, onDecision) {
  switch (part.kind) {
    case 'thinking': return new ThinkingView(part);
    case 'approval':
      return new ApprovalView(part, async (...decision) => {
        await context.decide(...decision);
        onDecision();
      });
    default: return new DocumentView(part, context);
  }
}

// What the model thought: closed, unless the user opens it.
class ThinkingView {
  constructor(part) {
    this.part = part;
    this.name = element('summary');
    this.text = element('p', { className: 'plain' });
    this.node = element('details', { className: 'thinking' }, this.name, this.text);
    this.update();
  }

  update() {
    this.name.textContent = this.part.open ? 'Thinking\u2026' : 'Thought';
    this.text.textContent = this.part.text;
  }
}

function endNodes({ status, error, usage, duration, model, mode }) {
  const nodes = [];
  if (error !== null) {
    nodes.push(element('div', { className: 'document error' },
      element('p', {}, element('strong', {}, 'Error: '), error.message),
      element('p', {}, error.advice)));
  }
  if (status === 'stopped') nodes.push(element('p', { className: 'note' }, 'Stopped before its end.'));
  if (usage !== null) {
    const count = (number) => number.toLocaleString('en');
    const words = [];
    if (usage.totalTokens > 0) {
      const cached = usage.cacheReadTokens ? ` (${count(usage.cacheReadTokens)} cached)` : '';
      words.push(`tokens: ${count(usage.promptTokens)} in${cached}, ${count(usage.completionTokens)} out`);
    }
    if (duration !== null) words.push(seconds(duration));
    words.push(mode === 'agent' ? model : `${model}, ${mode}`);
    nodes.push(element('p', { className: 'usage' }, words.join(' \u00b7 ')));
  }
  return nodes;
}
