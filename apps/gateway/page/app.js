import { Composer } from './composer.js';
import { ConversationList } from './conversation_list.js';
import { conversationIsFree, holdConversation } from './conversation_lock.js';
import { newConversation, randomId, ConversationStore } from './conversation_store.js';
import { askUser } from './dialog.js';
import { byId } from './dom.js';
import { GatewayClient, isKey } from './gateway_client.js';
import { Pickers } from './pickers.js';
import { Transcript } from './transcript.js';
import { Turn } from './turn.js';

const kMaxTitle = 60;

const kNoRoom = 'The browser has no room to keep this conversation: it is lost when the page is closed. ' +
  'Delete others, or begin a new one.';

const kElsewhere = { message: 'This conversation is being answered in another tab.',
                     advice: 'Wait until that has ended, then try again.' };

// The page: one conversation is shown; several may be answered at a time.
class App {
  constructor() {
    this.client = new GatewayClient();
    this.store = new ConversationStore();
    this.list = new ConversationList(this.store, (id) => this.open(id));
    this.pickers = new Pickers();
    this.composer = new Composer({
      send: (text) => this.ask(text),
      stop: () => this.turns.get(this.conversation.id)?.stop(),
    });
    this.transcript = new Transcript({
      answer: (text) => this.composer.put(text),
      decide: (part, approve, reason) => this.decide(part, approve, reason),
      retry: () => this.retry(this.conversation),
    });
    this.turns = new Map();  // those that are being answered, by conversation
    this.listen();
    this.takeKey();
    // The address names the conversation, so that it is there again after a reload.
    this.showFirst(this.store.load(location.hash.slice(1)) ?? newConversation());
    this.loadModels();
  }

  // What cannot be shown must not close the page for all others.
  showFirst(conversation) {
    try {
      this.show(conversation);
    } catch (error) {
      console.error(error);
      this.show(newConversation());
    }
  }

  listen() {
    byId('new').addEventListener('click', () => this.show(newConversation()));
    byId('rename').addEventListener('click', () => this.rename());
    byId('delete').addEventListener('click', () => this.remove());
    byId('menu').addEventListener('click', () => {
      setMenu(true);
      byId('new').focus();
    });
    byId('veil').addEventListener('click', () => setMenu(false));
    document.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !document.body.classList.contains('menu')) return;
      setMenu(false);
      byId('menu').focus();
    });
    // What has come so far is kept.
    window.addEventListener('pagehide', () => {
      for (const turn of this.turns.values()) {
        turn.stop();
        turn.answer.end('stopped');
        this.keep(turn.conversation);
      }
    });
    window.addEventListener('hashchange', () => {
      if (!this.takeKey()) return;
      this.updateControls();
      this.loadModels();
    });
    this.store.onChange((id) => this.onOtherTab(id));
  }

  // The address that the gateway has printed may hold a key. It is kept for this tab, and leaves the address bar
  // and the history. Whether there was one.
  takeKey() {
    const key = /^#key=(.+)$/.exec(location.hash)?.[1] ?? '';
    if (!isKey(key)) return false;
    this.client.key = key;
    history.replaceState(null, '', '/');
    return true;
  }

  // Asks for an answer to `text` in the conversation that is shown. `id`: that of the turn it replaces.
  async ask(text, id = randomId()) {
    const { conversation } = this;
    const turn = new Turn(this.client, conversation, {
      mode: this.pickers.mode,
      model: this.pickers.model,
      onChange: (part, event) => this.onChange(turn, part, event),
    });
    conversation.turns.push({ id, text, answer: turn.answer, isOwn: true });
    conversation.title ||= text.trim().split('\n')[0].slice(0, kMaxTitle);
    conversation.used = Date.now();
    this.turns.set(conversation.id, turn);
    this.list.states.set(conversation.id, 'answering\u2026');
    this.transcript.begin(conversation.turns);
    this.updateControls();
    say('The agent is answering.');
    let needsKey = false;
    try {
      const isFree = await holdConversation(conversation.id, () => this.run(turn));
      if (!isFree) turn.answer.end('failed', kElsewhere);
    } catch (error) {
      needsKey = error.needsKey ?? false;
      if (!needsKey) throw error;
    } finally {
      this.end(turn);
    }
    if (needsKey && await this.askForKey()) this.retry(conversation);
  }

  // What has come is kept before another tab can ask.
  async run(turn) {
    this.keep(turn.conversation);
    this.list.update();
    try {
      await turn.run();
    } finally {
      this.keep(turn.conversation);
    }
  }

  end({ conversation, answer }) {
    this.turns.delete(conversation.id);
    this.list.states.delete(conversation.id);
    this.keep(conversation);
    this.list.update();
    if (conversation !== this.conversation) return;
    this.transcript.end(answer);
    this.updateControls();
    say({ completed: 'The answer is complete.', stopped: 'The answer was stopped.' }[answer.status] ??
        'The answer has failed.');
  }

  // Asks once more for the last answer, which has failed or was stopped.
  retry(conversation) {
    if (conversation !== this.conversation || this.isUnderWay) return;
    const { text, id } = conversation.turns.pop();
    this.ask(text, id);
    this.composer.focus();
  }

  onChange({ conversation, answer }, part, event) {
    if (['document_end', 'approval_required'].includes(event)) this.keep(conversation);
    if (event === 'approval_required') {
      say(`The agent asks for approval: ${part.toolName}.`);
      this.list.states.set(conversation.id, 'waits for you');
      this.list.update();
    }
    if (conversation === this.conversation) this.transcript.change(answer, part);
  }

  open(id) {
    const conversation = this.turns.get(id)?.conversation ?? this.store.load(id);
    if (conversation === null) {
      notify('This conversation is not there any more.');
      this.list.update();
      return;
    }
    this.show(conversation);
  }

  show(conversation) {
    const isOther = conversation !== this.conversation;
    this.conversation = conversation;
    if (isOther) notify('');
    this.isElsewhere = !this.turns.has(conversation.id) && hasOpenAnswer(conversation);
    if (this.isElsewhere) this.waitForOther(conversation);
    this.transcript.show(conversation.turns);
    this.updateControls();
    this.list.current = conversation.id;
    this.list.update();
    setMenu(false);
    this.composer.focus();
  }

  // The answer goes on in another tab, or its page is gone: which, is known when the conversation is free.
  async waitForOther(shown) {
    await conversationIsFree(shown.id);
    if (shown !== this.conversation || !this.isElsewhere) return;
    const conversation = this.store.load(shown.id) ?? shown;
    for (const { answer } of conversation.turns) {
      if (answer.status === 'streaming') answer.end('stopped');
    }
    this.show(conversation);
  }

  // Whether the conversation that is shown is being answered.
  get isUnderWay() { return this.isElsewhere || this.turns.has(this.conversation.id); }

  updateControls() {
    const { id, title, turns } = this.conversation;
    const isRunning = this.turns.has(id);
    byId('title').textContent = title || 'New conversation';
    document.title = title ? `${title} \u2013 cursor-gateway` : 'cursor-gateway';
    byId('rename').hidden = byId('delete').hidden = turns.length === 0;
    history.replaceState(null, '', turns.length === 0 ? '/' : `#${id}`);
    this.composer.setRunning(isRunning, this.isElsewhere);
    this.transcript.setBusy(this.isUnderWay);
  }

  // Decides on a question of the conversation that is shown.
  async decide(part, approve, reason) {
    const { conversation } = this;
    const { answer } = conversation.turns.find((turn) => turn.answer.parts.includes(part));
    // Whoever shows the part meanwhile, as after a look at another conversation, must not send it again.
    Object.assign(part, { state: 'sending', problem: '' });
    try {
      await this.client.decide(part.id, approve, reason);
      part.state = approve ? 'approved' : 'denied';
    } catch (error) {
      part.problem = `The answer was not taken: ${error.message}.`;
      // It was answered elsewhere, or nobody waits for it any more.
      const isOver = [404, 409].includes(error.status);
      if (part.state === 'sending') part.state = isOver ? 'expired' : 'waiting';
    }
    this.keep(conversation);
    this.transcript.change(answer, part);
    if (answer.status !== 'streaming' || answer.waits) return;
    this.list.states.set(conversation.id, 'answering\u2026');
    this.list.update();
  }

  async rename() {
    const { conversation } = this;
    const title = await askUser({ title: 'Rename the conversation', field: 'text',
                                  value: conversation.title, confirm: 'Rename' });
    if (!title) return;
    conversation.title = title;
    this.keep(conversation);
    this.list.update();
    this.updateControls();
  }

  async remove() {
    const { conversation } = this;
    const answer = await askUser({
      title: 'Delete this conversation?',
      text: `\u201c${conversation.title}\u201d is removed from this browser. There is no way back.`,
      confirm: 'Delete' });
    if (answer === null) return;
    this.turns.get(conversation.id)?.stop();
    conversation.isRemoved = true;
    this.store.remove(conversation.id);
    this.show(newConversation());
  }

  keep(conversation) {
    if (conversation.isRemoved) return;
    this.store.join(conversation);
    if (!this.store.save(conversation)) notify(kNoRoom);
  }

  // Another tab has changed a conversation.
  onOtherTab(id) {
    this.list.update();
    const changed = this.store.load(id);
    if (changed === null) return;
    const running = this.turns.get(id)?.conversation;
    if (running !== undefined) running.title = changed.title;
    if (id !== this.conversation.id) return;
    if (running !== undefined) this.updateControls();
    // An answer under way there is shown at its beginning, and at its end.
    else if (!this.isElsewhere || !hasOpenAnswer(changed)) this.show(changed);
  }

  async loadModels() {
    try {
      this.pickers.setModels(await this.client.models());
      notify('');
    } catch (error) {
      if (error.needsKey) {
        if (await this.askForKey()) this.loadModels();
        return;
      }
      notify(`The models are not known: ${error.message} ${error.advice ?? ''}`);
    }
  }

  // Whether the user has given a key. Two questions at a time are one.
  askForKey() {
    this.keyQuestion ??= this.askForKeyOnce().finally(() => { this.keyQuestion = undefined; });
    return this.keyQuestion;
  }

  async askForKeyOnce() {
    const text = this.client.hasKey
      ? 'The gateway did not take this key.'
      : 'This gateway wants one of its API keys. The key is kept until this tab is closed.';
    const ask = (words) => askUser({ title: 'API key', text: words, field: 'password', confirm: 'Use this key' });
    let key = await ask(text);
    while (key && !isKey(key)) {
      key = await ask('This is no key: a key has letters, digits and signs of ASCII alone, and no blanks.');
    }
    if (!key) {
      notify('Without a key of this gateway, nothing can be asked. Reload the page to enter one.');
      return false;
    }
    this.client.key = key;
    notify('');
    return true;
  }
}

function hasOpenAnswer({ turns }) {
  return turns.some(({ answer }) => answer.status === 'streaming');
}

// For screen readers alone.
function say(text) {
  byId('status').textContent = text;
}

function notify(text) {
  byId('notice').textContent = text;
  byId('notice').hidden = text === '';
}

function setMenu(isOpen) {
  document.body.classList.toggle('menu', isOpen);
  byId('menu').setAttribute('aria-expanded', String(isOpen));
}

new App();
