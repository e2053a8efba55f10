import { unifiedDiffView } from './diff_view.js';
import { element, visibleText } from './dom.js';

const kQuestions = {
  read_file: 'May the agent read this file?',
  list_dir: 'May the agent list this folder?',
  grep: 'May the agent search here?',
  write: 'May the agent create this file?',
  edit_file: 'May the agent change this file?',
  delete_file: 'May the agent delete this file?',
  run_terminal_cmd: 'May the agent run this command?',
  read_mcp_resource: 'May the agent read this resource of a server?',
};
const kStates = {
  approved: 'You approved this.',
  denied: 'You denied this.',
  expired: 'This waits no longer for an answer.',
};

// A question for approval with its buttons. `decide(part, approve, reason)` sends the decision, and puts into
// the part what came of it.
export class ApprovalView {
  constructor(part, decide) {
    this.part = part;
    this.decide = decide;
    this.note = element('p', { className: 'note', tabIndex: -1 });
    this.reason = element('input', { className: 'field', placeholder: 'Reason for a no (optional)',
                                     ariaLabel: 'Reason for a no', autocomplete: 'off' });
    this.approve = this.#button('Approve', 'strong', true);
    this.deny = this.#button('Deny', '', false);
    this.row = element('div', { className: 'row' }, this.approve, this.deny, this.reason);
    this.node = element('section', { className: 'approval', ariaLabel: 'Approval' },
      element('p', { className: 'question' }, questionOf(part)),
      ...actionNodes(part), this.row, this.note);
    this.update();
  }

  update() {
    const { state, problem } = this.part;
    const waits = ['waiting', 'sending'].includes(state);
    this.row.hidden = !waits;
    this.approve.disabled = this.deny.disabled = state === 'sending';
    this.node.classList.toggle('waiting', waits);
    this.note.textContent = problem || (waits ? '' : kStates[state]);
    this.note.hidden = this.note.textContent === '';
  }

  #button(text, style, approve) {
    const button = element('button', { type: 'button', className: `button ${style}` }, text);
    button.addEventListener('click', () => this.#send(approve));
    return button;
  }

  async #send(approve) {
    const sent = this.decide(this.part, approve, this.reason.value.trim());
    this.update();
    await sent;
    this.update();
    if (this.row.hidden) this.note.focus();  // the button had it
  }
}

function questionOf({ toolName }) {
  return Object.hasOwn(kQuestions, toolName) ? kQuestions[toolName] : `May the agent use ${visibleText(toolName)}?`;
}

// What is to be done, all of it.
function actionNodes({ toolName, arguments: details }) {
  const nodes = [];
  const line = (name, text) => element('p', { className: 'detail' }, `${name} `,
                                       element('code', {}, visibleText(text)));
  if (details.server) nodes.push(line('Server', details.server));
  if (details.tool) nodes.push(line('Tool', details.tool));
  if (details.uri) nodes.push(line('Resource', details.uri));
  if (details.arguments !== undefined) {
    nodes.push(element('pre', { className: 'command', tabIndex: 0 },
                       visibleText(JSON.stringify(details.arguments, null, 2))));
  }
  if (details.path) nodes.push(line(['list_dir', 'grep'].includes(toolName) ? 'Where' : 'File', details.path));
  if (details.pattern) nodes.push(line('Pattern', details.pattern));
  if (details.glob) nodes.push(line('Names', details.glob));
  if (details.runsCode) {
    nodes.push(element('p', { className: 'detail' }, 'Other programs may run what is in it.'));
  }
  if (details.command) {
    nodes.push(element('pre', { className: 'command', tabIndex: 0 }, visibleText(details.command)));
  }
  if (details.workingDirectory) nodes.push(line('In the folder', details.workingDirectory));
  if (details.background) nodes.push(element('p', { className: 'detail' }, 'It goes on in the background.'));
  if (details.input !== undefined) {
    nodes.push(element('p', { className: 'detail' }, 'Its input:'),
               element('pre', { className: 'command', tabIndex: 0 }, visibleText(details.input)));
  }
  if (details.diff) nodes.push(unifiedDiffView(details.diff));
  return nodes;
}
