import { readConversation, writeConversation } from './stored_conversation.js';

const kPrefix = 'cursor-gateway.conversation.';
const kMaxConversations = 100;
// Of all conversations, in UTF-16 units. Browsers give a site about five million.
const kMaxLength = 4_000_000;

// A conversation: `turns` are {id, text, answer, isOwn}; `isOwn`: this tab has asked for the answer.
// `serviceId` is its id at the gateway, which has the first `knownTurns` of them.
export function newConversation() {
  return { id: randomId(), title: '', used: Date.now(), serviceId: '', knownTurns: 0, turns: [] };
}

// randomUUID() is missing where the page has come over plain HTTP from another machine.
export function randomId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)),
                    (byte) => byte.toString(16).padStart(2, '0')).join('');
}

// Conversations in the browser's localStorage. The oldest make room for others.
export class ConversationStore {
  constructor() {
    this.summaries = new Map();  // by key: {value, summary}, so that a value is parsed once
  }

  // The last used first: {id, title, used, text}, where `text` is what the user has said.
  list() {
    return keys().map((key) => this.#summary(key)).filter((summary) => summary !== null)
      .sort((a, b) => b.used - a.used);
  }

  // null: it is not there, or cannot be read.
  load(id) {
    const text = localStorage.getItem(kPrefix + id);
    return text === null ? null : readConversation(text, id);
  }

  // Puts what other tabs have kept of it into the conversation: each turn is that of the tab that asked.
  join(conversation) {
    const kept = this.load(conversation.id);
    if (kept === null) return;
    const own = new Map(conversation.turns.filter((turn) => turn.isOwn).map((turn) => [turn.id, turn]));
    const turns = kept.turns.map((turn) => own.get(turn.id) ?? turn);
    const ids = new Set(turns.map(({ id }) => id));
    conversation.turns = [...turns, ...[...own.values()].filter(({ id }) => !ids.has(id))];
    if (kept.knownTurns <= conversation.knownTurns) return;
    conversation.serviceId = kept.serviceId;
    conversation.knownTurns = kept.knownTurns;
  }

  // Keeps it. Returns false if there is no room even without all others; nothing has changed then.
  save(conversation) {
    const value = writeConversation(conversation);
    if (value.length > kMaxLength) return false;
    const key = kPrefix + conversation.id;
    const others = this.#inOrderOfRemoval().filter((other) => other !== key);
    const isTooMuch = () => others.length >= kMaxConversations || lengthWith(key, value) > kMaxLength;
    const removed = [];
    while ((others.length > 0 && isTooMuch()) || !store(key, value)) {
      const other = others.shift();
      if (other === undefined) {
        for (const [name, text] of removed) store(name, text);
        return false;
      }
      removed.push([other, localStorage.getItem(other)]);
      localStorage.removeItem(other);
    }
    for (const [name] of removed) this.summaries.delete(name);
    return true;
  }

  remove(id) {
    localStorage.removeItem(kPrefix + id);
    this.summaries.delete(kPrefix + id);
  }

  // Calls with the id of a conversation that another tab has changed.
  onChange(callback) {
    window.addEventListener('storage', ({ key }) => {
      if (key?.startsWith(kPrefix)) callback(key.slice(kPrefix.length));
    });
  }

  // The keys of all: first what cannot be read, and is in no list, then the last used last.
  #inOrderOfRemoval() {
    const used = new Map(keys().map((key) => [key, this.#summary(key)?.used ?? -Infinity]));
    return [...used.keys()].sort((a, b) => used.get(a) < used.get(b) ? -1 : 1);
  }

  #summary(key) {
    const value = localStorage.getItem(key);
    const known = this.summaries.get(key);
    if (known?.value === value) return known.summary;
    const conversation = this.load(key.slice(kPrefix.length));
    const summary = conversation === null ? null : {
      id: conversation.id,
      title: conversation.title,
      used: conversation.used,
      text: conversation.turns.map((turn) => turn.text).join('\n'),
    };
    this.summaries.set(key, { value, summary });
    return summary;
  }
}

function keys() {
  return Object.keys(localStorage).filter((key) => key.startsWith(kPrefix));
}

// Length of all conversations, with this value for that key.
function lengthWith(key, value) {
  return keys().filter((other) => other !== key)
    .reduce((sum, other) => sum + localStorage.getItem(other).length, value.length);
}

// Whether there was room.
function store(key, value) {
  try {
    localStorage.setItem(key, value);
    return true;
  } catch {
    return false;
  }
}
