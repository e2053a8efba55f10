import { byId, element } from './dom.js';

// The list of conversations at the side. `choose(id)` is called for the one that the user wants.
export class ConversationList {
  constructor(store, choose) {
    this.store = store;
    this.choose = choose;
    this.current = '';
    this.states = new Map();  // by id: what those that are being answered show
    byId('search').addEventListener('input', () => this.update());
  }

  update() {
    const wanted = byId('search').value.trim().toLowerCase();
    const all = this.store.list();
    const found = all.filter(({ title, text }) => `${title}\n${text}`.toLowerCase().includes(wanted));
    byId('list').replaceChildren(...found.map((conversation) => this.#item(conversation)));
    const note = all.length === 0 ? 'Conversations are kept in this browser.'
      : found.length === 0 ? 'No conversation has these words.' : '';
    byId('list-note').textContent = note;
    byId('list-note').hidden = note === '';
  }

  #item({ id, title, used }) {
    const button = element('button', { type: 'button', className: 'item', title,
                                       dataset: { conversation: id } },
      element('span', { className: 'item-title' }, title || 'New conversation'),
      element('span', { className: 'item-time' }, this.states.get(id) ?? timeText(used)));
    if (id === this.current) button.setAttribute('aria-current', 'true');
    button.addEventListener('click', () => this.choose(id));
    return element('li', {}, button);
  }
}

function timeText(milliseconds) {
  const time = new Date(milliseconds);
  const isToday = time.toDateString() === new Date().toDateString();
  return isToday ? time.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
                 : time.toLocaleDateString([], { year: 'numeric', month: 'short', day: 'numeric' });
}
