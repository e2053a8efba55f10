// See README.md.   node exchange.mjs YJS_PEER [DOCUMENTS]
import * as Y from 'yjs';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';

const [program, documents = '40'] = process.argv.slice(2);
const hex = (bytes) => (bytes.length === 0 ? '-' : Buffer.from(bytes).toString('hex'));
const bytes = (text) => (text === '-' ? new Uint8Array() : new Uint8Array(Buffer.from(text, 'hex')));

// Numbers that are the same in each run.
function random(seed) {
  let state = seed;
  return (end) => {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * end);
  };
}

class Ours {
  constructor(client) {
    this.child = spawn(program, [String(client)], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    this.inbox = [];
  }
  async ask(...words) {
    this.child.stdin.write(`${words.join(' ')}\n`);
    const { value, done } = await this.lines.next();
    assert(!done, `${words[0]}: the program has ended`);
    assert(!value.startsWith('error'), `${words.join(' ')}: ${value}`);
    return value;
  }
  async apply(update) {
    await this.ask('apply', hex(update));
  }
  async text(root) {
    return Buffer.from(bytes(await this.ask('text', hex(Buffer.from(root))))).toString();
  }
  async vector() {
    return this.ask('vector');
  }
  async state(vector) {
    return bytes(await this.ask('state', hex(vector)));
  }
  async edit(next, root) {
    const length = (await this.text(root)).length;
    const at = next(length + 1);
    const deleted = next(3) === 0 ? Math.min(length - at, 1 + next(6)) : 0;
    const text = Buffer.from(TEXTS[next(TEXTS.length)]);
    const update = await this.ask('edit', hex(Buffer.from(root)), at, deleted, hex(text));
    return update === '-' ? [] : [bytes(update)];
  }
  async end() {
    this.child.stdin.end();
    const code = await new Promise((done) => this.child.on('close', done));
    assert.equal(code, 0);
  }
}

const TEXTS = ['a', 'word ', 'é', '😀', '世界', '\r\n', '👩‍👩‍👧', '', 'x'.repeat(99)];
const ROOT = 'demo/src/ä.js';

function anyValue(next) {
  return [1, 'text', null, false, true, 1.5, -7, 2 ** 40, { a: [1, 'b'] }, new Uint8Array([1, 2])][next(10)];
}
function anyShared(next) {
  const type = [new Y.Array(), new Y.Map(), new Y.Text('inner'), new Y.XmlElement('p')][next(4)];
  if (type instanceof Y.Array) type.insert(0, [1, 2, new Y.Map()]);
  return type;
}

// As Yjs counts, where each thing that is no text is one unit.
function shown(text) {
  return text.toDelta().map(({ insert }) => (typeof insert === 'string' ? insert : '\ufffc')).join('');
}
const tears = (text, at) => /[\udc00-\udfff]/.test(shown(text).charAt(at));

class Theirs {
  constructor(client) {
    this.doc = new Y.Doc();
    this.doc.clientID = client;
    this.inbox = [];
    this.made = [];
    this.doc.on('update', (update, origin) => origin !== 'peer' && this.made.push(update));
    this.root = this.doc.getText(ROOT);
    this.doc.getMap('map');
    this.doc.getArray('array');
  }
  async apply(update) {
    Y.applyUpdate(this.doc, update, 'peer');
  }
  async text(root) {
    return shown(this.doc.getText(root));
  }
  async vector() {
    return hex(Y.encodeStateVector(this.doc));
  }
  async state(vector) {
    return Y.encodeStateAsUpdate(this.doc, vector);
  }
  async edit(next, root, rich) {
    const text = this.doc.getText(root);
    const at = next(text.length + 1);
    const count = Math.min(text.length - at, 1 + next(6));
    this.doc.transact(() => {
      switch (next(rich ? 12 : 4)) {
        case 0:
          if (count > 0) text.delete(at, count);
          break;
        case 4:
          // A format may tear a pair without a trace for others: then peers of Yjs alone differ, too.
          if (count > 0 && !tears(text, at) && !tears(text, at + count)) {
            text.format(at, count, { bold: [true, null][next(2)] });
          }
          break;
        case 5:
          text.insert(at, 'styled', { em: true });
          break;
        case 6:
          text.insertEmbed(at, [{ image: 'x' }, anyShared(next)][next(2)]);
          break;
        case 7:
          this.doc.getMap('map').set(['k', 'l'][next(2)], next(3) === 0 ? anyShared(next) : anyValue(next));
          break;
        case 8:
          this.doc.getMap('map').delete(['k', 'l'][next(2)]);
          break;
        case 9: {
          const array = this.doc.getArray('array');
          array.insert(next(array.length + 1), [anyValue(next), anyValue(next), anyValue(next)]);
          break;
        }
        case 10: {
          const array = this.doc.getArray('array');
          if (array.length > 1) array.delete(next(array.length - 1), 2);
          if (array.get(0) instanceof Y.Array) array.get(0).push([1, 2]);
          else array.insert(0, [anyShared(next)]);
          break;
        }
        case 11: {
          const inner = this.doc.getMap('map').get('k');
          if (inner instanceof Y.Text) inner.insert(next(inner.length + 1), 'more');
          if (inner instanceof Y.Map) inner.set('deep', anyShared(next));
          break;
        }
        default:
          text.insert(at, TEXTS[next(TEXTS.length)] || 'z');
      }
    });
    return this.made.splice(0);
  }
  async end() {}
}

async function same(a, b) {
  assert((await a.text(ROOT)) === (await b.text(ROOT)), 'the texts differ');
  assert.equal(await a.vector(), await b.vector());
}

// Relative positions: of ours, and of theirs, on either side.
async function anchors(ours, theirs, next) {
  for (let i = 0; i < 10; ++i) {
    const at = next(theirs.root.length + 1);
    const made = Y.createRelativePositionFromTypeIndex(theirs.root, at);
    const answer = await ours.ask('anchor', hex(Buffer.from(ROOT)), at);
    if (made.item === null) {
      assert.equal(answer, '-');
      continue;
    }
    if (!tears(theirs.root, at)) assert.equal(answer, `${made.item.client} ${made.item.clock}`);
  }
  const structs = [...theirs.doc.store.clients.entries()];
  for (let i = 0; i < 30; ++i) {
    const [client, items] = structs[next(structs.length)];
    const item = items[next(items.length)];
    if (!(item instanceof Y.Item) || item.parent !== theirs.root || item.parentSub !== null) continue;
    const clock = item.id.clock + next(item.length);
    const assoc = [0, -1][next(2)];
    const position = new Y.RelativePosition(null, null, Y.createID(client, clock), assoc);
    const there = Y.createAbsolutePositionFromRelativePosition(position, theirs.doc, false);
    const here = await ours.ask('place', hex(Buffer.from(ROOT)), client, clock, assoc);
    if (!tears(theirs.root, there.index)) assert.equal(here, String(there.index));
  }
}

async function run(seed) {
  const next = random(seed);
  const rich = seed % 3 !== 0;
  const peers = [new Ours(3000000000 + seed), new Theirs(seed), new Theirs(4000000000 - seed)];
  if (seed % 2 === 0) peers.push(new Ours(2 * seed + 1000));
  for (let step = 0; step < 150; ++step) {
    const peer = peers[next(peers.length)];
    for (const update of await peer.edit(next, ROOT, rich)) {
      for (const other of peers) if (other !== peer) other.inbox.push(update);
    }
    const receiver = peers[next(peers.length)];
    for (let i = next(6); i > 0 && receiver.inbox.length > 0; --i) {
      const [update] = receiver.inbox.splice(next(receiver.inbox.length), 1);
      await receiver.apply(update);
      for (const made of receiver.made?.splice(0) ?? []) {  // it tidies its formats
        for (const other of peers) if (other !== receiver) other.inbox.push(made);
      }
    }
  }
  // The rest: from state vectors, both ways, until nothing changes.
  for (let round = 0; round < 3; ++round) {
    for (const from of peers) {
      for (const to of peers) {
        if (from !== to) await to.apply(await from.state(bytes(await to.vector())));
      }
    }
  }
  for (const peer of peers) await same(peers[0], peer);
  await anchors(peers[0], peers[1], next);

  // What one saves, the other loads.
  const saved = await peers[0].state(new Uint8Array([0]));
  const loaded = new Theirs(5000);
  await loaded.apply(saved);
  await same(loaded, peers[1]);
  assert(isDeepStrictEqual(loaded.doc.toJSON(), peers[1].doc.toJSON()), 'maps or lists differ');
  const theirs = await loaded.state(new Uint8Array([0]));
  const another = new Ours(6000);
  await another.apply(theirs);
  await same(another, peers[1]);
  assert.equal(hex(await another.state(new Uint8Array([0]))), hex(theirs));
  await another.end();
  for (const peer of peers) await peer.end();
  return saved.length - (await peers[1].state(new Uint8Array([0]))).length;
}

let longer = 0;
for (let seed = 1; seed <= Number(documents); ++seed) {
  try {
    longer += await run(seed);
  } catch (error) {
    console.log(`document ${seed}`);
    throw error;
  }
}
console.log(`${documents} documents are the same; ours are ${longer} bytes longer in all`);
