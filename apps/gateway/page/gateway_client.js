import { readEvents } from './event_reader.js';

const kKeyName = 'cursor-gateway.key';

// An answer of the gateway that says no, or the lack of one: `status` is 0 then.
export class GatewayError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code ?? '';
  }

  get needsKey() { return this.code === 'invalid_api_key'; }
  get isUnknownConversation() { return this.code === 'conversation_not_found'; }

  // What the user can do about it.
  get advice() {
    if (this.status === 0) return 'See whether cursor-gateway still runs, then try again.';
    return kAdvice[this.code] ?? kAdviceByStatus[this.status] ?? 'Try again.';
  }
}

const kAdvice = {
  invalid_api_key: 'Open the address with a key that the gateway has printed, or enter a key of its key file.',
  upstream_unauthenticated:
    'The service refused the gateway\u2019s own token: log in again where the gateway runs, and start it anew.',
  upstream_permission_denied: 'This account may not do that. Choose another model or mode.',
  model_not_found: 'Choose another model.',
  insufficient_quota: 'The quota of the account is used up; trying again does not help.',
  rate_limit_exceeded: 'Wait a little, then try again.',
  shutting_down: 'The gateway is ending. Start it again, then try again.',
  upstream_unavailable: 'The service was not reached. See whether the network works, then try again.',
};
const kAdviceByStatus = {
  400: 'Change the message, and send it again.',
  403: 'Open the page by the address that the gateway printed.',
  409: 'Wait until the answer under way has ended, then try again.',
  413: 'The conversation is too long for one request. Begin a new one.',
};

// Whether a header can carry the text as a key.
export function isKey(text) {
  return /^[\x21-\x7e]+$/.test(text);
}

// The endpoints that the page uses. The key is kept for this tab alone, and goes to no other place.
export class GatewayClient {
  get hasKey() { return this.#key !== null; }
  set key(key) { sessionStorage.setItem(kKeyName, key); }

  // null: there is none, or one that no request can carry.
  get #key() {
    const key = sessionStorage.getItem(kKeyName);
    return key !== null && isKey(key) ? key : null;
  }

  // The ids of the models.
  async models() {
    const answer = await this.#fetch('/v1/models');
    return (await answer.json()).data.map((model) => model.id);
  }

  // Asks, and calls `onEvent` with each event of the answer. Resolves after the last one. Throws a
  // GatewayError, or an AbortError where the signal says so; the gateway cancels the turn then.
  async ask(request, { signal, onEvent }) {
    const answer = await this.#post('/api/v1/chat/completions', request, signal);
    try {
      for await (const { event, data } of readEvents(answer.body)) {
        onEvent({ event, ...JSON.parse(data) });
        if (event === 'done') return;
      }
    } catch (error) {
      if (error.name === 'AbortError') throw error;
      throw new GatewayError(0, '', `The answer broke off: ${error.message}.`);
    }
    throw new GatewayError(0, '', 'The answer broke off: the gateway closed the connection.');
  }

  // Answers a question for approval.
  async decide(id, approve, reason) {
    await this.#post(`/api/v1/approvals/${encodeURIComponent(id)}`,
                     reason ? { approve, reason } : { approve });
  }

  #post(path, body, signal) {
    return this.#fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    });
  }

  async #fetch(path, options = {}) {
    const headers = { ...options.headers };
    if (this.hasKey) headers.Authorization = `Bearer ${this.#key}`;
    let answer;
    try {
      answer = await fetch(path, { ...options, headers, credentials: 'omit', redirect: 'error' });
    } catch (error) {
      if (error.name === 'AbortError') throw error;
      throw new GatewayError(0, '', 'The gateway cannot be reached.');
    }
    if (answer.ok) return answer;
    const body = await answer.json().catch(() => null);
    throw new GatewayError(answer.status, body?.error?.code,
                           body?.error?.message ?? `The gateway answered with status ${answer.status}.`);
  }
}
