// A server of rooms of the Open Collaboration Tools, in small: it knows who logs in, asks hosts whether
// somebody may join, and hands on messages that it cannot read. On this machine, on a port that the
// system chooses. Besides, it remembers what came, and can be told to behave badly.
import { pack, unpack } from 'msgpackr';
import { Server } from 'socket.io';
import { createHmac, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

const VERSION = '0.3.1';
const id = () => randomBytes(18).toString('base64url');
const info = (code, message, more) => ({ code, params: [], message, ...more });
const words = (code, message) => ({ code, message, params: [] });
const envelope = (kind, more) => ({
  version: VERSION, kind, metadata: { encryption: { keys: [] }, compression: { algorithm: 'none' } }, ...more,
});
const broadcast = (method, ...params) => envelope('broadcast', { origin: '', content: { method, params } });
const isClear = ({ content }) => !(content instanceof Uint8Array);

// What somebody asks for again and again until it is there.
class Answer {
  #wake = () => {};
  give(value) {
    this.value = value;
    this.#wake();
  }
  // undefined: nothing in this time.
  async next(time) {
    if (this.value === undefined) {
      let timer;
      await new Promise((wake) => ((this.#wake = wake), (timer = setTimeout(wake, time))));
      clearTimeout(timer);
    }
    const { value } = this;
    // What is told of on the way is told once, the outcome to all who ask.
    if (value?.failure !== undefined) this.value = undefined;
    return value;
  }
}

// One in a room: the host or a guest. Stays while its connection is lost for a short time.
class Peer {
  constructor(room, { user, host = false }, token, headers) {
    Object.assign(this, { id: id(), room, user, host, token, headers });
    this.name = user.name;
    this.connections = 0;
    this.queue = [];
  }
  get description() {
    const { id, host, name, user, headers } = this;
    return { id, host, name, email: user.email, metadata: {
      compression: { supported: (headers['x-oct-compression'] ?? 'none').split(',') },
      encryption: { publicKey: headers['x-oct-public-key'] },
    } };
  }
  attach(socket) {
    clearTimeout(this.place);
    this.socket?.removeAllListeners();
    this.socket = socket;
    ++this.connections;
    socket.on('message', (data) => this.room.relay.receive(this, new Uint8Array(data)));
    socket.on('disconnect', () => {
      this.socket = undefined;
      this.place = setTimeout(() => this.leave('its place was kept long enough'), this.room.relay.placeTime);
    });
    this.#flush();
  }
  send(message) {
    this.queue.push(pack(message));
    this.#flush();
  }
  #flush() {
    if (this.socket && !this.isHeld) for (const data of this.queue.splice(0)) this.socket.send(data);
  }
  // What is for it waits until release().
  hold() {
    this.isHeld = true;
  }
  release() {
    this.isHeld = false;
    this.#flush();
  }
  // As a network that fails: nobody says goodbye.
  cut() {
    const { conn } = this.socket;
    if (conn.transport.socket) conn.transport.socket.terminate();
    else conn.close(true);
  }
  leave(how) {
    if (this.end) return;
    this.end = how;
    clearTimeout(this.place);
    if (this.host) this.room.close();
    else this.room.tell(this, broadcast('room/left', this.description));
    this.room.peers.delete(this);
    this.disconnect();
  }
  // The other side is told that this is the end.
  disconnect() {
    this.socket?.removeAllListeners();
    this.socket?.disconnect(true);
    this.socket = undefined;
  }
}

class Room {
  constructor(relay, id) {
    Object.assign(this, { relay, id });
    this.peers = new Set();
    this.clock = 0;
  }
  get host() {
    return [...this.peers].find(({ host }) => host);
  }
  // To all but one, who said it or whom it is about.
  tell(about, message) {
    for (const peer of this.peers) if (peer !== about) peer.send(message);
  }
  close() {
    this.relay.rooms.delete(this.id);
    this.tell(this.host, broadcast('room/closed'));
    for (const peer of this.peers) {
      peer.end ??= 'the room was closed';
      clearTimeout(peer.place);
      peer.disconnect();
    }
    this.peers.clear();
  }
}

export class Relay {
  // Longest time of an answer to who polls; how long the place of a lost peer is kept; how long a host
  // may think about who asks to join.
  pollTime = 30_000;
  placeTime = 30_000;
  joinTime = 300_000;
  version = VERSION;
  // Whether one may log in by sending a form; else there is only the page.
  hasForm = true;
  // Each connection ends at once, as if nobody listened.
  isAway = false;
  // Sees each HTTP request, and answers it in the server's place with {status, body}; undefined: it does not.
  answer = async () => undefined;

  rooms = new Map();
  // All who ever were in a room.
  peers = [];
  // Who logged in, by token; who is doing so, and who asks to join.
  users = new Map();
  logins = new Map();
  joins = new Map();
  asked = new Map();
  // What came: HTTP requests, upgrades to WebSockets, messages; and messages that went to nobody.
  requests = [];
  upgrades = [];
  messages = [];
  dropped = [];
  // Whatever nobody but its owner may see.
  secrets = new Set();

  // `base`: path of the server, "/rooms".
  static async start({ base = '', ...settings } = {}) {
    const relay = Object.assign(new Relay(), { base }, settings);
    const http = (relay.http = createServer((request, response) => relay.#serve(request, response)));
    http.on('connection', (socket) => {
      relay.#keep(socket);
      if (relay.isAway) socket.destroy();
    });
    http.on('upgrade', ({ url, headers }) => relay.upgrades.push({ url, headers }));
    relay.io = new Server(http, { path: `${base}/socket.io` });
    // The npm package takes the path of a URL for a namespace, too.
    for (const namespace of new Set(['/', base || '/'])) relay.io.of(namespace).on('connection', (socket) => relay.#connect(socket));
    await new Promise((done) => http.listen(0, '127.0.0.1', done));
    relay.url = `http://127.0.0.1:${http.address().port}${base}`;
    return relay;
  }
  // The same by TLS: its URL.
  async overTls(certificate) {
    this.front = createTlsServer(certificate, (client) => {
      const back = connect(this.http.address().port, '127.0.0.1');
      this.#keep(client);
      this.#keep(back);
      client.pipe(back).pipe(client);
      client.on('close', () => back.destroy());
      back.on('close', () => client.destroy());
    });
    this.front.on('tlsClientError', () => {});
    await new Promise((done) => this.front.listen(0, '127.0.0.1', done));
    return `https://127.0.0.1:${this.front.address().port}${this.base}`;
  }
  async stop() {
    for (const peer of this.peers) clearTimeout(peer.place);
    for (const { timer } of this.asked.values()) clearTimeout(timer);
    for (const answer of [...this.logins.values(), ...this.joins.values()]) answer.give(null);
    this.sockets.forEach((socket) => socket.destroy());
    this.front?.close();
    await this.io.close();
  }
  // The last one of this name, who may be gone.
  peer(name) {
    return this.peers.findLast((peer) => peer.name === name);
  }
  // As a person on the page for logins.
  openPage(url, user, email = '') {
    const { origin, pathname, searchParams } = new URL(url);
    if (`${origin}${pathname}` !== `${this.url}/login.html`) throw new Error(`there is no page ${url}`);
    this.#logIn(searchParams.get('token'), { user, email });
  }

  sockets = new Set();
  #keep(socket) {
    this.sockets.add(socket);
    socket.on('error', () => {}).on('close', () => this.sockets.delete(socket));
  }
  #token(claim) {
    const text = [{ alg: 'HS256' }, { ...claim, iat: Math.floor(Date.now() / 1000) }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const signature = createHmac('sha256', (this.key ??= randomBytes(32))).update(text).digest('base64url');
    this.secrets.add(signature).add(text);
    return `${text}.${signature}`;
  }
  #logIn(token, { user, email }) {
    const person = { id: id(), name: user, email, authProvider: 'Unverified' };
    const loginToken = this.#token(person);
    this.users.set(loginToken, person);
    this.logins.get(token).give({ loginToken });
  }

  async #serve(request, response) {
    const path = request.url.slice(this.base.length);
    let text = '';
    for await (const piece of request) text += piece;
    const asked = { method: request.method, path, headers: request.headers, body: text };
    this.requests.push(asked);
    const { status = 200, body } = (await this.answer(asked)) ?? (await this.#answer(asked)) ?? { status: 404, body: 'Not found' };
    const isText = typeof body === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8' });
    response.end(status === 204 ? undefined : isText ? body : JSON.stringify(body));
  }
  async #answer({ method, path, headers, body }) {
    const [, api, subject, verb, name] = path.split('/');
    if (api !== 'api') return undefined;
    const user = this.users.get(headers['x-oct-jwt']);
    if (method === 'GET') {
      return subject === 'meta' ? { body: { owner: 'of a test', version: this.version, transports: ['socket.io'] } } : undefined;
    }
    if (subject === 'session' && !user) return { status: 403, body: 'Forbidden resource' };
    switch (`${subject}/${verb}`) {
      case 'login/initial': return { body: this.#beginLogin() };
      case 'login/validate': return { body: { valid: user !== undefined } };
      case 'login/simple': {
        const form = JSON.parse(body);
        if (!this.logins.has(form.token)) return { status: 400, body: 'Failed to log in' };
        this.#logIn(form.token, form);
        return { body: 'Ok' };
      }
      case 'login/poll': {
        const value = this.logins.has(name) ? await this.logins.get(name).next(this.pollTime) : null;
        if (value === undefined) return { status: 204 };
        return value ? { body: value } : { status: 400, body: info('AuthTimeout', 'Authentication timed out') };
      }
      case 'session/create': {
        const roomId = id();
        return { body: { roomId, roomToken: this.#token({ room: roomId, user, host: true, roomClock: 0 }) } };
      }
      case 'session/join': {
        const room = this.rooms.get(name);
        if (!room) return { status: 404, body: info('RoomNotFound', 'Room not found') };
        return { body: { pollToken: this.#askHost(room, user), roomId: name } };
      }
      case 'session/poll': {
        if (!this.joins.has(name)) return { status: 404, body: info('JoinRequestNotFound', 'Join request not found') };
        const value = await this.joins.get(name).next(this.pollTime);
        return value ? { body: value } : { status: 204 };
      }
    }
    return undefined;
  }
  #beginLogin() {
    const pollToken = id();
    this.logins.set(pollToken, new Answer());
    const form = {
      type: 'form', name: 'unverified', endpoint: '/api/login/simple',
      label: words('UnverifiedLoginLabel', 'Unverified'), group: words('BuiltinsGroup', 'Builtins'),
      fields: [{ name: 'user', required: true, label: words('UsernameLabel', 'Username') },
        { name: 'email', required: false, label: words('EmailLabel', 'Email') }],
    };
    const page = {
      type: 'web', name: 'elsewhere', endpoint: '/api/login/elsewhere',
      label: words('ElsewhereLabel', 'Elsewhere'), group: words('ThirdParty', 'Third party'),
    };
    return { pollToken, auth: {
      loginPageUrl: `/login.html?token=${pollToken}`, providers: this.hasForm ? [page, form] : [page], defaultSuccessUrl: '',
    } };
  }
  #askHost(room, user) {
    const token = id();
    this.secrets.add(token);
    const join = new Answer();
    this.joins.set(token, join);
    const rejected = info('JoinRejected', 'Join request has been rejected', { failure: true });
    const timedOut = info('JoinTimeout', 'Join request has timed out', { failure: true });
    join.give(info('WaitingForHost', 'Waiting for host to accept join request', { failure: false }));
    const request = envelope('request', { origin: '', target: room.host.id, content: { method: 'peer/join', params: [user] } });
    this.#ask(room.host, request, this.joinTime, (answer) => {
      const workspace = answer?.kind === 'response' && answer.content.response?.workspace;
      if (!workspace) return join.give(answer ? rejected : timedOut);
      const roomToken = this.#token({ room: room.id, user, roomClock: ++room.clock });
      join.give({ roomId: room.id, roomToken, workspace, host: room.host.description });
    });
    return token;
  }

  #connect(socket) {
    const { headers } = socket.handshake;
    const token = headers['x-oct-jwt'];
    const claim = this.#claim(token);
    if (!claim || !headers['x-oct-public-key']) return socket.disconnect(true);
    const known = this.peers.find((peer) => peer.token === token);
    if (known?.end) return socket.disconnect(true);
    if (known) return known.attach(socket);
    if (claim.host) this.rooms.set(claim.room, new Room(this, claim.room));
    const room = this.rooms.get(claim.room);
    if (!room) return socket.disconnect(true);
    const peer = new Peer(room, claim, token, headers);
    this.secrets.add(headers['x-oct-public-key']);
    room.peers.add(peer);
    this.peers.push(peer);
    peer.attach(socket);
    if (!peer.host) room.tell(peer, broadcast('room/joined', peer.description));
    peer.send(envelope('notification', { target: peer.id, origin: '', content: { method: 'peer/info', params: [peer.description] } }));
  }
  #claim(token = '') {
    const [, claim] = token.split('.');
    return this.secrets.has(token.split('.')[2]) ? JSON.parse(Buffer.from(claim, 'base64url')) : undefined;
  }

  // A question under an id of ours; undefined is the answer to one that nobody answered in time.
  #ask(target, message, time, answered) {
    const name = id();
    const timer = setTimeout(() => this.asked.delete(name) && answered(undefined), time);
    this.asked.set(name, { target, answered, timer });
    target.send({ ...message, id: name });
  }
  receive(from, data) {
    const message = unpack(data);
    const { kind, target, id: name } = message;
    const { method } = isClear(message) ? message.content : {};
    this.messages.push({ from: from.name, kind, target, method, data });
    const drop = (why, whom) => this.dropped.push({ from: from.name, kind, why, whom: whom?.name });
    if (!message.version?.startsWith('0.3.')) return drop('version');
    const keys = message.metadata?.encryption?.keys ?? [];
    for (const { key } of keys) this.secrets.add(key);
    if (kind === 'response' || kind === 'response-error') {
      const question = this.asked.get(name);
      if (question?.target !== from) return drop('an answer to nothing');
      this.asked.delete(name);
      clearTimeout(question.timer);
      return question.answered(message);
    }
    message.origin = from.id;
    if (kind === 'notification' && target === '' && method === 'room/leave') return from.leave('it left');
    if (isClear(message)) return drop('clear');
    const room = from.room;
    // Everybody gets the own key alone.
    const handOver = (peer, send) => {
      const own = keys.filter((key) => key.target === peer.id);
      if (own.length === 0) return drop('no key', peer);
      send({ ...message, metadata: { ...message.metadata, encryption: { keys: own } } });
    };
    if (kind === 'broadcast') {
      for (const peer of room.peers) if (peer !== from) handOver(peer, (copy) => peer.send(copy));
      return undefined;
    }
    const peer = [...room.peers].find((one) => one.id === target);
    if (!peer) return drop('to nobody');
    if (kind === 'notification') return handOver(peer, (copy) => peer.send(copy));
    if (kind !== 'request') return drop('unknown');
    return handOver(peer, (copy) => this.#ask(peer, copy, 30_000, (answer) =>
      from.send({ ...(answer ?? envelope('response-error', { content: { message: 'Request timed out' } })), id: name })));
  }
}
