// See README.md.   node exchange.mjs AUTOMERGE_PEER
import * as Automerge from '@automerge/automerge';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [program] = process.argv.slice(2);
const hex = (bytes) => Buffer.from(bytes).toString('hex');
const bytes = (text) => new Uint8Array(Buffer.from(text, 'hex'));

// Numbers that are the same in each run.
function random(seed) {
  let state = seed;
  return (end) => {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * end);
  };
}

class Peer {
  constructor(actor) {
    this.child = spawn(program, [actor], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }
  async ask(...words) {
    this.child.stdin.write(`${words.join(' ')}\n`);
    const { value, done } = await this.lines.next();
    assert(!done, `${words[0]}: the program has ended`);
    assert(!value.startsWith('error'), `${words[0]}: ${value}`);
    return value;
  }
  async text(key) {
    const answer = await this.ask('text', key);
    return answer === 'none' ? undefined : Buffer.from(answer.slice(5), 'hex').toString();
  }
  async end() {
    this.child.stdin.end();
    const code = await new Promise((done) => this.child.on('close', done));
    assert.equal(code, 0);
  }
}

const TEXTS = ['a', 'word ', 'é', '😀', '世界', '\r\n', '👩‍👩‍👧', ''];

// A place that is not within a surrogate pair.
function place(text, at) {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
function anyEdit(text, next) {
  const from = place(text, next(text.length + 1));
  const to = next(3) === 0 ? place(text, Math.min(text.length, from + 1 + next(4))) : from;
  return [from, Math.max(0, to - from), TEXTS[next(TEXTS.length)]];
}

async function settle(ours, doc, state) {
  for (let quiet = false; !quiet; ) {
    quiet = true;
    const message = await ours.ask('next');
    if (message !== '-') {
      quiet = false;
      [doc, state] = Automerge.receiveSyncMessage(doc, state, bytes(message));
    }
    let answer;
    [state, answer] = Automerge.generateSyncMessage(doc, state);
    if (answer) {
      quiet = false;
      await ours.ask('receive', hex(answer));
    }
  }
  return [doc, state];
}

async function same(ours, doc) {
  assert.equal(await ours.text('content'), doc.content);
  assert.equal(await ours.ask('heads'), [...Automerge.getHeads(doc)].sort().join(''));
}

async function run(seed) {
  const next = random(seed);
  const ours = new Peer(`ours${seed}`);
  let doc;
  if (seed % 2 === 0) {
    await ours.ask('make', 'content');
    doc = Automerge.init();
  } else {
    doc = Automerge.from({ content: '', other: { list: [1, { a: null }], counter: new Automerge.Counter(3) } });
  }
  let state = Automerge.initSyncState();
  [doc, state] = await settle(ours, doc, state);
  for (let round = 0; round < 12; ++round) {
    for (let i = next(6); i > 0; --i) {
      const [at, deleted, text] = anyEdit(await ours.text('content'), next);
      await ours.ask('edit', 'content', at, deleted, hex(text));
    }
    for (let i = next(6); i > 0; --i) {
      doc = Automerge.change(doc, (d) => {
        Automerge.splice(d, ['content'], ...anyEdit(d.content, next));
        if (d.other !== undefined && next(4) === 0) d.other.list.push(next(100));
        if (d.other !== undefined && next(4) === 0) d.other.counter.increment(1);
      });
    }
    if (seed % 3 === 0 && doc.content.length > 2 && next(3) === 0) {
      doc = Automerge.change(doc, (d) => {
        Automerge.mark(d, ['content'], { start: 0, end: 2, expand: 'both' }, 'bold', true);
      });
    }
    if (next(4) === 0) {
      await ours.ask('reconnect');
      state = Automerge.initSyncState();
    }
    [doc, state] = await settle(ours, doc, state);
    await same(ours, doc);
  }

  // What one saves, the other loads.
  const saved = await ours.ask('save');
  const loaded = Automerge.load(bytes(saved));
  assert.equal(loaded.content, doc.content);
  assert.deepEqual(Automerge.getHeads(loaded).sort(), Automerge.getHeads(doc).sort());
  assert.equal(Automerge.getAllChanges(loaded).length, Automerge.getAllChanges(doc).length);
  assert.deepEqual(JSON.parse(JSON.stringify(loaded)), JSON.parse(JSON.stringify(doc)));
  const another = new Peer(`another${seed}`);
  await another.ask('load', hex(Automerge.save(doc)));
  await same(another, doc);
  await another.end();
  await ours.end();
  return saved.length / 2 - Automerge.save(doc).length;
}

let longer = 0;
for (let seed = 1; seed <= 40; ++seed) longer += await run(seed);
console.log(`40 documents are the same; ours are ${longer} bytes longer in all`);
