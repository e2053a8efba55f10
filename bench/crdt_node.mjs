// What crdt-bench measures, with the packages of npm that a folder has:
//   node --expose-gc crdt_node.mjs FOLDER TRACE.json.gz
// FOLDER is one where `npm install yjs @automerge/automerge` was run. Sequential sessions alone.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';

const [folder, path] = process.argv.slice(2);
const require = createRequire(join(resolve(folder), 'package.json'));
const trace = JSON.parse(gunzipSync(readFileSync(path)));

function print(what, value, unit) {
  console.log(`  ${what.padEnd(44)} ${value.toFixed(1).padStart(10)} ${unit}`);
}
function expect(text) {
  if (text !== trace.endContent) throw new Error('the text is another one');
}
function time(what, run) {
  const start = performance.now();
  const result = run();
  print(what, performance.now() - start, 'ms');
  return result;
}

// Without garbage.
function heapBytes() {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function yjs() {
  const Y = require('yjs');
  console.log('yjs');
  const write = (onUpdate) => {
    const doc = new Y.Doc();
    const text = doc.getText('text');
    doc.on('update', onUpdate);
    for (const { patches } of trace.txns) {
      doc.transact(() => {
        for (const [at, deleted, inserted] of patches) {
          if (deleted > 0) text.delete(at, deleted);
          if (inserted !== '') text.insert(at, inserted);
        }
      });
    }
    return doc;
  };
  const updates = [];
  const doc = time('edits, each transaction a change', () => write((update) => updates.push(update)));
  expect(doc.getText('text').toString());
  time('all single changes, taken by a peer', () => {
    const peer = new Y.Doc();
    for (const update of updates) Y.applyUpdate(peer, update);
    expect(peer.getText('text').toString());
  });
  const saved = time('saved as one update', () => Y.encodeStateAsUpdate(doc));
  print('  size', saved.length / 1024, 'KiB');
  time('loaded, and its text read', () => {
    const again = new Y.Doc();
    Y.applyUpdate(again, saved);
    expect(again.getText('text').toString());
  });
  const before = heapBytes();
  const other = write(() => {});
  print('in use after the edits, without the updates', (heapBytes() - before) / 1048576, 'MiB');
  expect(other.getText('text').toString());
}

function automerge() {
  const A = require('@automerge/automerge');
  console.log('automerge');
  let doc = A.from({ text: '' });
  const changes = [];
  time('edits, each transaction a change', () => {
    for (const { patches } of trace.txns) {
      doc = A.change(doc, (d) => {
        for (const [at, deleted, inserted] of patches) A.splice(d, ['text'], at, deleted, inserted);
      });
      changes.push(A.getLastLocalChange(doc));
    }
  });
  expect(doc.text);
  const first = A.getAllChanges(doc)[0];
  time('all single changes, taken by a peer', () => {
    const [peer] = A.applyChanges(A.init(), [first, ...changes]);
    expect(peer.text);
  });
  const saved = A.save(doc);
  time('loaded, and its text read', () => expect(A.load(saved).text));
}

yjs();
automerge();
