// What crdt-bench measures, with the packages of npm that a folder has:
//   node crdt_node.mjs FOLDER TRACE.json.gz
// FOLDER is one where `npm install yjs @automerge/automerge` was run. Sequential sessions alone.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';

const [folder, path] = process.argv.slice(2);
const require = createRequire(join(resolve(folder), 'package.json'));
const trace = JSON.parse(gunzipSync(readFileSync(path)));

function print(what, ms) {
  console.log(`  ${what.padEnd(44)} ${ms.toFixed(1).padStart(10)} ms`);
}
function expect(text) {
  if (text !== trace.endContent) throw new Error('the text is another one');
}
function time(what, run) {
  const start = performance.now();
  const result = run();
  print(what, performance.now() - start);
  return result;
}

function yjs() {
  const Y = require('yjs');
  console.log('yjs');
  const doc = new Y.Doc();
  const text = doc.getText('text');
  const updates = [];
  doc.on('update', (update) => updates.push(update));
  time('edits, each transaction a change', () => {
    for (const { patches } of trace.txns) {
      doc.transact(() => {
        for (const [at, deleted, inserted] of patches) {
          if (deleted > 0) text.delete(at, deleted);
          if (inserted !== '') text.insert(at, inserted);
        }
      });
    }
  });
  expect(text.toString());
  time('all single changes, taken by a peer', () => {
    const peer = new Y.Doc();
    for (const update of updates) Y.applyUpdate(peer, update);
    expect(peer.getText('text').toString());
  });
  const saved = Y.encodeStateAsUpdate(doc);
  time('loaded, and its text read', () => {
    const again = new Y.Doc();
    Y.applyUpdate(again, saved);
    expect(again.getText('text').toString());
  });
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
