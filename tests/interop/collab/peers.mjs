// What cursor-collab talks to: a server of documents, a relay of cursors, a client in JavaScript; and
// the program itself. All on this machine, on ports that the system chooses.
import { cbor, DocHandle, Repo } from '@automerge/automerge-repo';
import { WebSocketClientAdapter, WebSocketServerAdapter } from '@automerge/automerge-repo-network-websocket';
import { WebSocket, WebSocketServer } from 'ws';
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

// What is promised comes long before; a machine may be busy.
const LONG = 60_000;

// The repo of a server that was killed goes on waiting for documents, and nobody catches what comes of it
// a minute later: the test would be blamed for that.
const whenReady = DocHandle.prototype.whenReady;
DocHandle.prototype.whenReady = function (...states) {
  const onError = (error) => (error.name === 'TimeoutError' ? new Promise(() => {}) : Promise.reject(error));
  return whenReady.apply(this, states).catch(onError);
};

// Scratch folders and processes of a test, gone after it.
const leftovers = [];
export async function cleanUp() {
  for (const end of leftovers.splice(0).reverse()) await end();
}
export function scratchFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'collab-'));
  leftovers.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// A new certificate of 127.0.0.1, which is trusted where `file` is.
export function certificate() {
  const folder = scratchFolder();
  const [key, file] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const names = ['-subj', '/CN=cursorwire test', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
    '-keyout', key, '-out', file, ...names], { stdio: 'pipe' });
  return { file, key: readFileSync(key), cert: readFileSync(file) };
}

// Looks again and again until it is so.
export async function until(what, condition, longest = LONG) {
  for (const end = Date.now() + longest; ; await delay(10)) {
    const value = await condition();
    if (value) return value;
    assert(Date.now() < end, `not so: ${typeof what === 'string' ? what : what()}`);
  }
}

// Holds what was stored over restarts of the server.
class MemoryStorage {
  #entries = new Map();
  static #name = (key) => JSON.stringify(key).slice(0, -1);
  load = async (key) => this.#entries.get(MemoryStorage.#name(key))?.data;
  save = async (key, data) => void this.#entries.set(MemoryStorage.#name(key), { key, data });
  remove = async (key) => void this.#entries.delete(MemoryStorage.#name(key));
  #range = (prefix) => [...this.#entries].filter(([name]) => name.startsWith(MemoryStorage.#name(prefix)));
  loadRange = async (prefix) => this.#range(prefix).map(([, entry]) => entry);
  removeRange = async (prefix) => this.#range(prefix).forEach(([name]) => this.#entries.delete(name));
}

async function listen(server, port) {
  await new Promise((done, failed) => server.once('error', failed).listen(port, '127.0.0.1', done));
  return server.address().port;
}

// A server that keeps documents, which may be killed and started again on its port.
export class DocumentServer {
  static async start({ forgets = false, tls } = {}) {
    const server = new DocumentServer();
    Object.assign(server, { forgets, tls });
    await server.start(0);
    leftovers.push(() => server.kill());
    return server;
  }
  async start(port = this.port) {
    if (this.forgets || !this.storage) this.storage = new MemoryStorage();
    this.http = this.tls ? createTlsServer(this.tls) : createServer();
    this.sockets = new WebSocketServer({ server: this.http });
    this.closeCodes = [];
    this.sockets.on('connection', (socket) => socket.on('close', (code) => this.closeCodes.push(code)));
    this.repo = new Repo({
      network: [new WebSocketServerAdapter(this.sockets)],
      storage: this.storage,
      sharePolicy: async () => false,
    });
    this.port = await listen(this.http, port);
    this.url = `${this.tls ? 'wss' : 'ws'}://127.0.0.1:${this.port}`;
  }
  // What it has of a document by now.
  text(id, key = 'content') {
    const handle = this.repo.handles[id.replace('automerge:', '')];
    return handle?.isReady() ? handle.doc()[key] : undefined;
  }
  // As a server that dies: nobody is told.
  async kill() {
    if (!this.http) return;
    const { http, sockets } = this;
    this.http = undefined;
    sockets.clients.forEach((socket) => socket.terminate());
    await new Promise((done) => sockets.close(done));
    await new Promise((done) => http.close(done));
    await this.repo.flush().catch(() => {});
  }
}

// A server that answers the first message of a client with these, in CBOR, and is silent then.
export async function answeringServer(...answers) {
  const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await new Promise((done) => sockets.once('listening', done));
  leftovers.push(() => {
    sockets.clients.forEach((socket) => socket.terminate());
    return new Promise((done) => sockets.close(done));
  });
  sockets.on('connection', (socket) =>
    socket.once('message', (data) => {
      const { senderId } = cbor.decode(new Uint8Array(data));
      for (const answer of answers) socket.send(cbor.encode({ senderId: 'server', targetId: senderId, ...answer }));
    }),
  );
  return { url: `ws://127.0.0.1:${sockets.address().port}` };
}

// Hands each frame to all other sockets.
export class Relay {
  static async start() {
    const relay = new Relay();
    relay.frames = [];
    const http = createServer();
    const sockets = new WebSocketServer({ server: http });
    sockets.on('connection', (socket) =>
      socket.on('message', (data) => {
        for (const other of sockets.clients) if (other !== socket) other.send(data.toString());
        if (data.toString().startsWith('{')) relay.frames.push(JSON.parse(data));
      }),
    );
    relay.url = `ws://127.0.0.1:${await listen(http, 0)}`;
    leftovers.push(async () => {
      sockets.clients.forEach((socket) => socket.terminate());
      sockets.close();
      await new Promise((done) => http.close(done));
    });
    return relay;
  }
}

// One that speaks with the relay directly.
export async function relaySocket(url) {
  const socket = new WebSocket(url);
  leftovers.push(() => socket.terminate());
  await new Promise((done, failed) => socket.once('open', done).once('error', failed));
  return { say: (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)) };
}

// A client of npm's automerge-repo.
export class Client {
  constructor(url) {
    this.adapter = new WebSocketClientAdapter(url, 200);
    this.repo = new Repo({ network: [this.adapter] });
    leftovers.push(() => this.leave());
  }
  // Does not come back.
  leave() {
    if (this.hasLeft) return;
    this.hasLeft = true;
    if (this.adapter.socket) this.adapter.disconnect();
  }
  create(value) {
    this.handle = this.repo.create(value);
    return this.follow();
  }
  async open(url) {
    // Whoever made it may still be sending it.
    this.handle = await until('the server has the document', () => this.repo.find(url).catch(() => undefined));
    return this.follow();
  }
  follow() {
    this.messages = [];
    this.handle.on('ephemeral-message', ({ message }) => this.messages.push(message));
    return this;
  }
  get url() {
    return this.handle.url;
  }
  text(key = 'content') {
    return this.handle.doc()[key];
  }
  edit(change) {
    this.handle.change(change);
  }
  say(message) {
    this.handle.broadcast(message);
  }
  holds(text, key = 'content') {
    const shown = (value) => String(JSON.stringify(value)).slice(0, 200);
    return until(() => `the client has ${shown(text)}, it has ${shown(this.text(key))}`, () => this.text(key) === text);
  }
}

// A document that a client has made and a server has.
export async function sharedDocument(server, value) {
  const client = new Client(server.url).create(value);
  await until('the server has the document', () => server.repo.handles[client.handle.documentId]?.isReady());
  await until('the server has all of it', () =>
    server.repo.handles[client.handle.documentId].heads().join() === client.handle.heads().join());
  return client;
}

// A program that writes lines.
export class Program {
  constructor(path, args, { env = {}, stdio = ['pipe', 'pipe', 'pipe'], isJson = true } = {}) {
    const home = scratchFolder();
    const environment = { PATH: process.env.PATH, HOME: home, CURSOR_CONFIG_DIR: home, ...env };
    this.child = spawn(path, args, { stdio, env: environment });
    this.lines = [];
    this.all = [];
    this.errors = '';
    this.waiting = [];
    this.isJson = isJson;
    let rest = '';
    this.child.stdout?.setEncoding('utf8').on('data', (text) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop();
      parts.forEach((line) => this.#take(line));
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text) => (this.errors += text));
    this.child.stdin?.on('error', () => {});
    this.ended = new Promise((done) =>
      this.child.on('close', (code, signal) => {
        this.code = code;
        this.rest = rest;
        done({ code, signal });
        this.#wake();
      }),
    );
    leftovers.push(() => {
      if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
      return this.ended;
    });
  }
  #take(line) {
    if (this.isJson) {
      line = JSON.parse(line);
      assert.equal(Object.keys(line)[0], 'type');
    }
    this.lines.push(line);
    this.all.push(line);
    this.#wake();
  }
  #wake() {
    this.waiting.splice(0).forEach((wake) => wake());
  }
  say(...messages) {
    this.child.stdin.write(messages.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
  }
  // The next line.
  async next() {
    let timer;
    const late = new Promise((done) => (timer = setTimeout(done, LONG, 'late')));
    try {
      while (this.lines.length === 0) {
        assert(this.code === undefined, `it has ended with ${this.code}: ${this.errors}`);
        const more = new Promise((wake) => this.waiting.push(wake));
        assert.notEqual(await Promise.race([more, late]), 'late', this.#story('no line'));
      }
    } finally {
      clearTimeout(timer);
    }
    return this.lines.shift();
  }
  #story(what) {
    return `${what}; it wrote ${JSON.stringify(this.all.slice(-10)).slice(0, 3000)} and ${this.errors}`;
  }
  // The next line is of this type.
  async expect(type, members = {}) {
    const line = await this.next();
    assert.equal(line.type, type, this.#story(`no ${type} but ${JSON.stringify(line).slice(0, 300)}`));
    for (const [name, value] of Object.entries(members)) assert.deepEqual(line[name], value, name);
    return line;
  }
  // The next line that is so, whatever comes before.
  async find(what, condition = (line) => line.type === what) {
    for (;;) {
      const line = await this.next();
      if (condition(line)) return line;
      // What was asked for will not come any more.
      assert(!(this.code !== undefined && this.lines.length === 0), this.#story(`never: ${what}`));
    }
  }
  // The text of the last line that has one.
  get text() {
    return this.all.findLast((line) => line.content !== undefined)?.content;
  }
  findText(text) {
    return this.find(`the text ${JSON.stringify(text).slice(0, 200)}`, (line) => line.content === text);
  }
  // Its exit code, in time.
  async exit(code) {
    let timer;
    const late = new Promise((done) => (timer = setTimeout(done, LONG, 'late')));
    const end = await Promise.race([this.ended, late]);
    clearTimeout(timer);
    assert.notEqual(end, 'late', this.#story('it goes on'));
    assert.deepEqual(end, { code, signal: null }, this.#story(`exit code ${end.code}, signal ${end.signal}`));
    assert.equal(this.rest, '', 'the last line has no end');
  }
  // It has ended with one line of error.
  async fails(code, error) {
    await this.exit(code);
    assert.match(this.errors, /^cursor-collab: error: [a-z_]+: [^\n]+\n$/);
    assert.match(this.errors, error);
  }
}

export { delay };
