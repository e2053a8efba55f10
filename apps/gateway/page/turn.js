import { Answer } from './answer.js';
import { GatewayError } from './gateway_client.js';

// One message of a conversation and its answer, while it streams.
export class Turn {
  // `onChange(part, event)` is called when a part of the answer has changed, with the name of the event.
  constructor(client, conversation, { mode, model, onChange }) {
    this.client = client;
    this.conversation = conversation;
    this.answer = new Answer({ mode, model });
    this.onChange = onChange;
    this.controller = new AbortController();
  }

  // The gateway cancels the turn when the connection is gone.
  stop() {
    this.controller.abort();
  }

  // Resolves when the answer has ended, in whatever way. Throws a GatewayError that asks for a key, and
  // errors of the page itself; the answer has failed then too.
  async run() {
    // Those that the gateway is to have at the end: another tab may add some meanwhile.
    this.turns = [...this.conversation.turns];
    try {
      await this.#ask();
    } catch (error) {
      if (this.controller.signal.aborted) {
        this.answer.end('stopped');
        return;
      }
      this.answer.end('failed', { message: error.message, advice: error.advice ?? 'Reload the page.' });
      if (!(error instanceof GatewayError) || error.needsKey) throw error;
    }
  }

  async #ask() {
    const { conversation } = this;
    const before = this.turns.length - 1;
    // What has failed or was stopped is not in the conversation that the gateway has.
    if (conversation.serviceId !== '' && conversation.knownTurns === before) {
      try {
        return await this.#send(this.turns.slice(-1), conversation.serviceId);
      } catch (error) {
        if (!error.isUnknownConversation) throw error;
        conversation.serviceId = '';
      }
    }
    return this.#send(this.turns, undefined);
  }

  async #send(turns, conversationId) {
    const { mode, model } = this.answer;
    const request = { model, mode, messages: messagesOf(turns), conversationId, stream: true, thinking: true };
    await this.client.ask(request, {
      signal: this.controller.signal,
      onEvent: (event) => this.#onEvent(event),
    });
  }

  #onEvent(event) {
    if (event.event === 'done' && event.status === 'completed') {
      this.conversation.serviceId = event.conversationId;
      this.conversation.knownTurns = this.turns.length;
    }
    const part = this.answer.apply(event);
    if (part !== null) this.onChange(part, event.event);
  }
}

// The last answer is the one that is asked for.
function messagesOf(turns) {
  return turns.flatMap(({ text, answer }, index) => [
    { role: 'user', content: text },
    ...(index + 1 < turns.length ? answer.toMessages(index) : []),
  ]);
}
