import { Answer } from './answer.js';

const kPrefix = 'cursor-gateway.conversation.';
const kMaxConversations = 100;
// Of all conversations, in UTF-16 units. Browsers give a site about five million.
const kMaxLength = 4_000_000;

// A conversation as the browser keeps it: `turns` are {text, answer}. `serviceId` is its id at the
// gateway, which has the first `knownTurns` of them.
export function newConversation() {
  return { id: randomId(), title: '', used: Date.now(), serviceId: '', knownTurns: 0, turns: [] };
}

// randomUUID() is missing where the page has come over plain HTTP from another machine.
function randomId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)),
                    (byte) => byte.toString(16).padStart(2, '0')).join('');
}

// Conversations in the browser's localStorage. The oldest make room for others.
export class ConversationStore {
  // The last used first, without their turns: {id, title, used}.
  list() {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(kPrefix))
      .map((key) => this.load(key.slice(kPrefix.length)))
      .filter((conversation) => conversation !== null)
      .map(({ id, title, used, turns }) => ({ id, title, used, text: turns.map((turn) => turn.text).join('\n') }))
      .sort((a, b) => b.used - a.used);
  }

  // null: it is not there, or cannot be read.
  load(id) {
    try {
      const value = JSON.parse(localStorage.getItem(kPrefix + id));
      if (value === null) return null;
      value.turns = value.turns.map((turn) => ({ text: turn.text, answer: new Answer(turn.answer) }));
      return value;
    } catch {
      return null;
    }
  }

  // Keeps it. Returns false if there is no room even without all others.
  save(conversation) {
    const value = JSON.stringify({
      ...conversation,
      turns: conversation.turns.map((turn) => ({ text: turn.text, answer: turn.answer.kept() })),
    });
    const key = kPrefix + conversation.id;
    const others = this.list().filter(({ id }) => id !== conversation.id);
    while (others.length >= kMaxConversations || this.#lengthWith(key, value) > kMaxLength) {
      if (others.length === 0) return false;
      this.remove(others.pop().id);
    }
    for (;;) {
      try {
        localStorage.setItem(key, value);
        return true;
      } catch {
        if (others.length === 0) return false;
        this.remove(others.pop().id);
      }
    }
  }

  remove(id) {
    localStorage.removeItem(kPrefix + id);
  }

  // Calls with the id of a conversation that another tab has changed.
  onChange(callback) {
    window.addEventListener('storage', ({ key }) => {
      if (key?.startsWith(kPrefix)) callback(key.slice(kPrefix.length));
    });
  }

  #lengthWith(key, value) {
    return Object.keys(localStorage)
      .filter((other) => other.startsWith(kPrefix) && other !== key)
      .reduce((sum, other) => sum + localStorage.getItem(other).length, value.length);
  }
}
