// People in a room, made of the npm packages that the editors of the Open Collaboration Tools use: a
// host, who shares files, and guests. What they type goes the way that it goes in such an editor.
import { ConnectionProvider, Encryption, initializeProtocol, SocketIoTransportProvider } from 'open-collaboration-protocol';
import { OpenCollaborationYjsProvider, YjsNormalizedTextDocument } from 'open-collaboration-yjs';
import { Awareness } from 'y-protocols/awareness';
import * as Y from 'yjs';
import { webcrypto } from 'node:crypto';

initializeProtocol({ cryptoModule: webcrypto });
// A pair of keys takes seconds to make: who goes hands it on.
const pairs = [];
const { generateKeyPair } = Encryption;
Encryption.generateKeyPair = async () => pairs.pop() ?? generateKeyPair();

// A text in an editor, with the line ends that it has there.
class Editor {
  constructor(text, content) {
    this.content = content ?? text.toString();
    this.document = new YjsNormalizedTextDocument(text, async (changes) => {
      this.#apply(changes);
      // An editor tells of each change of its text, also of those that came from others.
      this.document.update({ changes });
    });
    if (content !== undefined) this.document.update({ changes: content });
  }
  // Places count the text as it is in the editor, before all of these.
  #apply(changes) {
    let shift = 0;
    for (const { start, end, text } of changes) {
      this.content = this.content.slice(0, start + shift) + text + this.content.slice(end + shift);
      shift += text.length - (end - start);
    }
  }
  edit(at, count, text) {
    const changes = [{ start: at, end: at + count, text }];
    this.#apply(changes);
    this.document.update({ changes });
  }
}

class Person {
  constructor(relay, name, connection) {
    Object.assign(this, { relay, name, connection });
    this.doc = new Y.Doc();
    this.awareness = new Awareness(this.doc);
    this.editors = new Map();
    // What came from others: {from, text, isDirect}; peers, in the order in which they came and went; who
    // opened which file.
    this.chats = [];
    this.joined = [];
    this.left = [];
    this.opened = [];
    this.isClosed = false;
    this.sending = new Set();
    this.unsent = [];
    // The package sends when it has encrypted: what is small may overtake what is large. What cannot be
    // sent, since its receiver has just left, nobody there catches.
    for (const method of ['sendBroadcast', 'sendNotification']) {
      const send = connection[method].bind(connection);
      connection[method] = (...args) => {
        const sent = send(...args).catch((error) => this.unsent.push(error)).finally(() => this.sending.delete(sent));
        this.sending.add(sent);
        return sent;
      };
    }
    connection.room.onClose(() => (this.isClosed = true));
    connection.room.onLeave((_, peer) => this.left.push(peer));
    connection.room.onPermissions(() => {});
    connection.chat.onMessage((from, text, isDirect) => this.chats.push({ from, text, isDirect }));
    connection.chat.onIsWriting(() => {});
    connection.editor.onClose(() => {});
    this.provider = new OpenCollaborationYjsProvider(connection, this.doc, this.awareness);
  }
  // The text of a file as all share it, and as this person sees it.
  text(path = this.path) {
    return this.doc.getText(path).toString();
  }
  shown(path = this.path) {
    return this.editors.get(path).content;
  }
  // All that was typed is on its way.
  async flushed() {
    while (this.sending.size > 0) await Promise.all(this.sending);
  }
  // The caret in the file that is shown, or a selection from there to `end`.
  async look(at = 0, end = at) {
    const text = this.doc.getText(this.path);
    const place = (index) => Y.createRelativePositionFromTypeIndex(text, index);
    const line = (index) => text.toString().slice(0, index).split('\n').length - 1;
    this.awareness.setLocalState({ peer: this.id, selection: {
      path: this.path,
      textSelections: [{ direction: 1, start: place(at), end: place(end) }],
      visibleRanges: [{ start: { line: 0, character: 0 }, end: { line: line(end) + 20, character: 0 } }],
    } });
    await this.flushed();
  }
  // One change, as by a paste.
  async edit(at, count, text, path = this.path) {
    this.editors.get(path).edit(at, count, text);
    await this.flushed();
  }
  async replace(old, text, path = this.path) {
    const at = this.shown(path).indexOf(old);
    if (at < 0) throw new Error(`${JSON.stringify(old)} is not in ${path}`);
    await this.edit(at, old.length, text, path);
  }
  // Key by key, behind this text; without one at the end.
  async type(keys, behind = undefined, path = this.path) {
    const content = this.shown(path);
    let at = behind === undefined ? content.length : content.indexOf(behind) + behind.length;
    for (const key of keys) {
      await this.edit(at, 0, key, path);
      at += key.length;
    }
  }
  // The last state that this peer told of itself.
  stateOf(peer) {
    return [...this.awareness.getStates().values()].find((state) => state.peer === peer);
  }
  // Where the caret of a peer is in a file: the index in the text.
  caretOf(peer) {
    const { path, textSelections } = this.stateOf(peer)?.selection ?? {};
    if (!textSelections?.length) return undefined;
    const place = Y.createAbsolutePositionFromRelativePosition(textSelections[0].end, this.doc);
    return place?.type === this.doc.getText(path) ? place.index : undefined;
  }
  // Asks a peer for something that guests do not have: the answer, and it has read all that was sent before.
  async ask(peer, method = 'fileSystem/stat', ...params) {
    await this.flushed();
    return this.connection.sendRequest(method, peer, ...(params.length > 0 ? params : [this.path]));
  }
  async leave() {
    if (this.hasLeft) return;
    this.hasLeft = true;
    const { connection } = this;
    if (connection.options.transport.socket.connected) {
      const gone = new Promise((done) => connection.options.transport.socket.once('disconnect', done));
      await connection.room.leave();
      await gone;
    }
    this.stop();
  }
  // As an editor that crashes, for good. The package has timers that outlive its connections.
  stop() {
    this.hasLeft = true;
    const { privateKey, transport } = this.connection.options;
    pairs.push({ privateKey, publicKey: this.peer.metadata.encryption.publicKey });
    transport.socket.removeAllListeners();
    transport.socket.io.removeAllListeners();
    transport.socket.on('error', () => {});
    transport.socket.close();
    clearTimeout(transport.disconnectTimeout);
    for (const request of this.connection.requestMap.values()) {
      request.response.promise.catch(() => {});
      request.dispose();
    }
    this.awareness.destroy();
    this.doc.destroy();
  }
}

function connectionProvider(relay, name, email) {
  return new ConnectionProvider({
    url: relay.url,
    client: `test of ${name}`,
    fetch,
    transports: [SocketIoTransportProvider],
    authenticationHandler: async (token, { providers }) => {
      const { endpoint } = providers.find(({ type }) => type === 'form');
      const body = JSON.stringify({ token, user: name, email });
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${relay.url}${endpoint}`, { method: 'POST', headers, body })).ok;
    },
  });
}

export class Host extends Person {
  // `files`: contents by path, "demo/a.js"; the first one is shown. `isEager`: the texts of all files are there
  // before anybody opens one.
  static async open(relay, files, { name = 'Hanna', readonly = false, isEager = false } = {}) {
    const provider = connectionProvider(relay, name, 'hanna@example.com');
    const { roomId, roomToken } = await provider.createRoom({});
    const connection = await provider.connect(roomToken);
    const host = new Host(relay, name, connection);
    Object.assign(host, { room: roomId, files: new Map(Object.entries(files)), permissions: { readonly } });
    await host.#begin(isEager);
    return host;
  }
  // Says whether somebody may join, and may take its time.
  decide = async () => true;
  // What happens after a guest has come, and before it hears who else is here.
  beforeInit = async () => {};
  // Who asked to join.
  asked = [];

  async #begin(isEager) {
    const { connection } = this;
    [this.path] = this.files.keys();
    const folders = [...new Set([...this.files.keys()].map((path) => path.split('/')[0]))];
    const workspace = { name: 'demo', folders };
    connection.peer.onJoinRequest(async (_, user) => {
      this.asked.push(user);
      return (await this.decide(user)) ? { workspace } : undefined;
    });
    connection.room.onJoin(async (_, peer) => {
      const guests = this.joined.filter(({ id }) => !this.left.some((one) => one.id === id));
      this.joined.push(peer);
      await this.beforeInit(peer);
      await connection.peer.init(peer.id, {
        protocol: '0.3.1', host: this.peer, guests, permissions: this.permissions, capabilities: {}, workspace,
      });
    });
    connection.editor.onOpen((from, path) => {
      this.opened.push({ from, path });
      this.open(path);
    });
    // The own name of the server for the host; until then nobody can join.
    this.peer = await new Promise((done) => connection.peer.onInfo((_, peer) => done(peer)));
    this.id = this.peer.id;
    if (isEager) for (const path of this.files.keys()) this.open(path);
    this.provider.connect();
    await this.look();
  }
  // A text is shared when somebody opens its file.
  open(path) {
    if (this.editors.has(path)) return;
    if (!this.files.has(path)) throw new Error(`there is no file ${path}`);
    this.editors.set(path, new Editor(this.doc.getText(path), this.files.get(path)));
  }
  async show(path) {
    this.path = path;
    this.open(path);
    await this.look();
  }
  async setReadonly(readonly) {
    this.permissions = { readonly };
    await this.connection.room.updatePermissions(this.permissions);
  }
}

export class Guest extends Person {
  static async join(relay, room, name) {
    const provider = connectionProvider(relay, name, '');
    const { roomToken, host } = await provider.joinRoom({ roomId: room });
    const connection = await provider.connect(roomToken, host);
    const guest = new Guest(relay, name, connection);
    Object.assign(guest, { room, host });
    connection.room.onJoin((_, peer) => guest.joined.push(peer));
    connection.editor.onOpen(() => {});
    const info = new Promise((done) => connection.peer.onInfo((_, peer) => done(peer)));
    guest.init = await new Promise((done) => connection.peer.onInit((_, init) => done(init)));
    guest.peer = await info;
    guest.id = guest.peer.id;
    guest.provider.connect();
    await guest.flushed();
    return guest;
  }
  // The host shares the text then. Not for empty files.
  async show(path) {
    this.path = path;
    const text = this.doc.getText(path);
    const isThere = new Promise((done) => text.observe(done));
    await this.connection.editor.open(this.host.id, path);
    if (text.length === 0) await isThere;
    this.editors.set(path, new Editor(text));
    await this.look();
  }
}
