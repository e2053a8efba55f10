// cursor-collab nvim-helper.   node helper.mjs CURSOR_COLLAB
import * as Automerge from '@automerge/automerge';
import { updateText } from '@automerge/automerge-repo';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { afterEach } from 'node:test';
import { Client, cleanUp, delay, DocumentServer, Program, Relay, relaySocket, scratchFolder, sharedDocument, until } from './peers.mjs';

const [collab] = process.argv.slice(2);
afterEach(cleanUp);

const TEXT = 'Hello, 世界! 😀\n';
const helper = (...args) => new Program(collab, ['nvim-helper', ...args]);
async function connected(server, more = {}, ...args) {
  const program = helper(...args);
  program.say({ type: 'connect', syncUrl: server.url, ...more });
  program.userId = (await program.expect('connected')).userId;
  return program;
}
// Its line, after those that tell of something else.
async function ask(program, message, type) {
  program.say(message);
  return program.find(type);
}
async function create(program, content) {
  const { docId } = await ask(program, { type: 'create' }, 'created');
  if (content !== undefined) program.say({ type: 'edit', content });
  return docId;
}
async function onlineCreate(program, content) {
  await until('it is connected', async () => (await ask(program, { type: 'info' }, 'info')).connected);
  return create(program, content);
}
// A pair that has the same text open.
async function pair(server, content, more = {}, ...args) {
  const first = await connected(server, more, ...args);
  const docId = await onlineCreate(first, content);
  const second = await connected(server, more, ...args);
  await ask(second, { type: 'open', docId }, 'opened');
  if (second.text !== content) await second.findText(content);
  return { first, second, docId };
}
// Asks until it has this text.
const holds = (program, docId, text) =>
  until(() => `it has ${JSON.stringify(text)}`, async () => (await ask(program, { type: 'open', docId }, 'opened')).content === text);
const quit = async (program) => {
  program.child.stdin.end();
  await program.exit(0);
  assert.equal(program.errors, '');
};

test('the conversation', async () => {
  const server = await DocumentServer.start();
  const relay = await Relay.start();
  const first = helper();
  const error = async (message, text, code, request) => {
    first.say(message);
    const line = await first.expect('error', { code, request });
    assert(typeof text === 'string' ? line.message === text : text.test(line.message), line.message);
  };
  await error({ type: 'edit', content: 'x' }, 'No document open', 'no_document', 'edit');
  await error({ type: 'create' }, 'Not connected', 'not_connected', 'create');
  await error({ type: 'open', docId: '4NMNnkMhL8jXrdJ9jamS58PAVdXu' }, 'Not connected', 'not_connected', 'open');
  first.say({ type: 'info' });
  const info = await first.expect('info', { connected: false, docId: null, userId: null });
  assert.equal(info.userName, 'nvim-user');
  assert.equal(info.awareness, false);
  await error('not json', /^Parse error: ./, 'parse');
  await error('[1]', /^Parse error: ./, 'parse');
  await error('{}', 'Unknown message type: (none)', 'unknown_type');
  await error('{"type":5}', 'Unknown message type: (none)', 'unknown_type');
  await error({ type: 'nonsense' }, 'Unknown message type: nonsense', 'unknown_type', 'nonsense');
  await error({ type: 'connect' }, /^connect needs "syncUrl": ./, 'bad_message', 'connect');
  await error({ type: 'connect', syncUrl: 5 }, /"syncUrl"/, 'bad_message', 'connect');
  await error({ type: 'connect', syncUrl: 'nonsense' }, /^Bad URL: /, 'bad_url', 'connect');
  await error({ type: 'connect', syncUrl: 'http://127.0.0.1/' }, /^Bad URL: /, 'bad_url', 'connect');
  await error({ type: 'connect', syncUrl: 'ws://192.0.2.1/' }, /^Bad URL: /, 'bad_url', 'connect');
  await error({ type: 'connect', syncUrl: server.url, awarenessUrl: 'x' }, /^Bad URL: /, 'bad_url', 'connect');
  first.say({ type: 'close' }, '', '  ', '{"type":"disconnect"}\r');
  await first.expect('closed');
  await first.expect('disconnected');

  first.say({ type: 'connect', syncUrl: server.url, awarenessUrl: relay.url, name: 'Alice', color: '#4ECDC4' });
  assert.match((await first.expect('connected')).userId, /^nvim-[0-9a-z]{8}$/);
  await error({ type: 'connect', syncUrl: server.url }, 'Already connected', 'already_connected', 'connect');
  await error({ type: 'open', docId: '3tFP3srLo4iHBPADoLtJ' }, /^Failed to open: ./, 'bad_doc_id', 'open');
  await error({ type: 'open' }, /^open needs "docId": ./, 'bad_message', 'open');
  first.say({ type: 'cursor', offset: 3 }, { type: 'create' });
  const { docId } = await first.expect('created');
  assert.match(docId, /^automerge:[1-9A-HJ-NP-Za-km-z]{20,30}$/);
  first.say({ type: 'edit', content: TEXT });
  await error({ type: 'edit' }, /^edit needs "content": ./, 'bad_message', 'edit');
  await error({ type: 'cursor', offset: 'x' }, /"offset"/, 'bad_message', 'cursor');

  const second = await connected(server, { awarenessUrl: relay.url, name: 'Ben' });
  const bare = docId.slice('automerge:'.length);
  await until('the relay knows both', () => new Set(relay.frames.map(({ clientID }) => clientID)).size === 2);
  await until('the server has the text', () => server.text(bare) === TEXT);
  second.say({ type: 'open', docId: bare });
  await second.expect('opened', { docId: bare, content: TEXT });
  second.say({ type: 'edit', content: `${TEXT}more` });
  await first.findText(`${TEXT}more`);
  first.say({ type: 'cursor', offset: 42, selection: { anchor: 2, head: 5 } });
  await second.find('the selection', ({ type, anchor, head, name, color }) =>
    type === 'cursor' && anchor === 2 && head === 5 && name === 'Alice' && color === '#4ECDC4');
  // Behind a character of two UTF-16 units.
  first.say({ type: 'cursor', offset: 13 });
  await second.find('the place', ({ type, anchor, head }) => type === 'cursor' && anchor === 13 && head === null);
  assert(relay.frames.some(({ state, documentId }) => state?.selection?.anchor === 14 && documentId === docId));
  first.say({ type: 'set_name', name: 'Alicia' }, { type: 'set_color', color: '#ABCDEF' });
  assert.equal((await first.find('name_set')).name, 'Alicia');
  assert.equal((await first.find('color_set')).color, '#ABCDEF');
  await second.find('the name', ({ type, name, color }) => type === 'cursor' && name === 'Alicia' && color === '#ABCDEF');
  const { userId, ...now } = await ask(first, { type: 'info' }, 'info');
  assert.deepEqual(now, { type: 'info', connected: true, docId: bare, userName: 'Alicia', awareness: true });

  await ask(first, { type: 'close' }, 'closed');
  await error({ type: 'edit', content: 'x' }, 'No document open', 'no_document', 'edit');
  await second.find('no place', ({ type, anchor }) => type === 'cursor' && anchor === null);
  first.say({ type: 'disconnect' });
  await first.expect('disconnected');
  first.say({ type: 'connect', syncUrl: server.url });
  await first.expect('connected');
  first.say({ type: 'open', docId });
  await first.expect('opened', { docId, content: `${TEXT}more` });
  await quit(first);
  await quit(second);
  // An editor that knows only the page sees nothing that is not on it.
  for (const { type } of [...first.all, ...second.all]) {
    assert(!['sync_status', 'awareness_status', 'cursor_removed'].includes(type));
  }
});

test('no echo, no change for equal text, the last edit before the end is kept', async () => {
  const server = await DocumentServer.start();
  const first = await connected(server);
  const docId = await onlineCreate(first, 'one');
  first.say({ type: 'edit', content: 'one' });
  const ann = await new Client(server.url).open(docId);
  await ann.holds('one');
  const heads = ann.handle.heads().join();
  first.say({ type: 'edit', content: 'one' }, { type: 'info' });
  await first.expect('info');
  assert.equal(ann.handle.heads().join(), heads);
  first.say({ type: 'edit', content: 'one two' });
  await quit(first);
  await ann.holds('one two');
  assert(!first.all.some(({ type }) => type === 'changed'));
});

test('edits just before a disconnect', async () => {
  const server = await DocumentServer.start();
  const first = await connected(server);
  const docId = await onlineCreate(first, '');
  first.say({ type: 'edit', content: 'kept' }, { type: 'disconnect' });
  await first.expect('disconnected');
  const ann = await new Client(server.url).open(docId);
  await ann.holds('kept');
});

test('edits that cross', async () => {
  const server = await DocumentServer.start();
  const { first, second, docId } = await pair(server, 'middle\n');
  const ann = await new Client(server.url).open(docId);
  // Neither waits for the other.
  let a = 'middle\n';
  let b = 'middle\n';
  for (let i = 0; i < 40; ++i) {
    a = `a${i}\n${a}`;
    b = `${b}b${i}\n`;
    first.say({ type: 'edit', content: a });
    second.say({ type: 'edit', content: b });
    await delay(i % 5); // so that some cross and some do not
  }
  const has = (text) => Array.from({ length: 40 }, (_, i) => [`a${i}\n`, `b${i}\n`]).flat().every((line) => text.split(line).length === 2);
  await until(() => `each line is there once: ${JSON.stringify(ann.text())}`, () => has(ann.text()));
  for (const program of [first, second]) {
    await holds(program, docId, ann.text());
  }
});

test('people in a browser type while the editor does', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: '😀 start\r\nend\r\n' });
  const first = await connected(server);
  let mine = (await ask(first, { type: 'open', docId: ann.url }, 'opened')).content;
  // Lines that are not like each other, so that one is not taken for another that was changed.
  const line = (i) => `${String.fromCodePoint(0x3b1 + (i % 24)).repeat(3 + i)}\r\n`;
  for (let i = 0; i < 30; ++i) {
    ann.edit((doc) => updateText(doc, ['content'], `j${i} ${doc.content}`));
    // The editor takes each change, then types.
    while (first.lines.length > 0) mine = first.lines.shift().content;
    mine += line(i);
    first.say({ type: 'edit', content: mine });
    await delay(i % 7);
  }
  await until(() => `all is there once: ${JSON.stringify(ann.text())}`, () => {
    const text = ann.text();
    return Array.from({ length: 30 }, (_, i) => [` j${i} `, `\n${line(i)}`]).flat().every((part) => ` ${text}`.split(part).length === 2);
  });
  await holds(first, ann.url, ann.text());
});

test('work without a server, merged when it is back', async () => {
  const server = await DocumentServer.start();
  const { first, second, docId } = await pair(server, 'one\ntwo\nthree\n', {}, '--status');
  await server.kill();
  for (const program of [first, second]) {
    await program.find('it is lost', ({ type, connected: is }) => type === 'sync_status' && is === false);
  }
  first.say({ type: 'edit', content: 'ONE\ntwo\nthree\n' }, { type: 'edit', content: 'ONE!\ntwo\nthree\n' }, { type: 'info' });
  await first.find('info', ({ type, connected: is }) => type === 'info' && is === false);
  second.say({ type: 'edit', content: 'one\ntwo\nthree\nfour\n' });
  // A document made while nobody is there.
  const third = await connected(server);
  const made = await create(third, 'made alone');
  await server.start();
  await first.findText('ONE!\ntwo\nthree\nfour\n');
  await second.findText('ONE!\ntwo\nthree\nfour\n');
  const ann = await new Client(server.url).open(docId);
  await ann.holds('ONE!\ntwo\nthree\nfour\n');
  await until('the server has the one that was made alone', () =>
    server.text(made) === 'made alone');
});

test('a server that has lost everything is given it again', async () => {
  const server = await DocumentServer.start({ forgets: true });
  const { first, docId } = await pair(server, 'one');
  await server.kill();
  await server.start();
  first.say({ type: 'edit', content: 'one two' });
  await until('the server has it', () => server.text(docId) === 'one two');
});

test('odd texts', async () => {
  const server = await DocumentServer.start();
  const first = await connected(server);
  const docId = await onlineCreate(first, '');
  const ann = await new Client(server.url).open(docId);
  for (const text of ['a\u0000b', '\r\n\r\n', '\ufeffx', 'e\u0301', '\u{1F469}\u200D\u{1F467}', '\u{1F469}\u200D\u{1F466}', '\u2028\u2029', '', 'end']) {
    first.say({ type: 'edit', content: text });
    await ann.holds(text);
  }
  first.say('{"type":"edit","content":"x\\ud800y"}');
  await ann.holds('x\ufffdy');
  first.say('{"type":"edit","content":"x\\ud83d\\ude00y"}');
  await ann.holds('x😀y');
});

test('1 MB, edited from both sides', async () => {
  const server = await DocumentServer.start();
  const text = 'The quick brown fox jumps over the lazy dog 0123456789 abcdefgh\n'.repeat(16 * 1024);
  const first = await connected(server);
  const docId = await onlineCreate(first, text);
  const ann = await new Client(server.url).open(docId);
  await ann.holds(text);
  ann.edit((doc) => Automerge.splice(doc, ['content'], 0, 0, 'JS '));
  await first.findText(`JS ${text}`);
  first.say({ type: 'edit', content: `JS ${text}editor\n` });
  await ann.holds(`JS ${text}editor\n`);
});

test('what cannot be opened', async () => {
  const server = await DocumentServer.start();
  const list = await sharedDocument(server, { content: [1] });
  const scalar = await sharedDocument(server, { content: new Automerge.ImmutableString('plain') });
  const none = await sharedDocument(server, { title: 'x' });
  const nobody = new Client('ws://127.0.0.1:9').create({ content: 'x' });
  const first = await connected(server);
  const refused = async (docId, message, code) => {
    assert.deepEqual(await ask(first, { type: 'open', docId }, 'error'), { type: 'error', message, code, request: 'open' });
    assert.equal((await ask(first, { type: 'info' }, 'info')).docId, null);
  };
  await refused(nobody.url, 'Failed to open: document unavailable', 'unavailable');
  await create(first, 'open');
  await refused(list.url, 'Failed to open: not a text document', 'not_text');
  assert.equal((await ask(first, { type: 'edit', content: 'x' }, 'error')).code, 'no_document');
  // A plain string becomes a text; a text that is not there is made.
  for (const [doc, content] of [[scalar, 'plain'], [none, '']]) {
    assert.equal((await ask(first, { type: 'open', docId: doc.url }, 'opened')).content, content);
    first.say({ type: 'edit', content: `${content}+` });
    await doc.holds(`${content}+`);
  }
});

test('no server: an open fails after 10 s, unless it is kept', async () => {
  const folder = scratchFolder();
  const server = await DocumentServer.start();
  const first = await connected(server, {}, '--storage', folder);
  const docId = await onlineCreate(first, 'kept');
  await quit(first);
  await server.kill();
  const second = await connected(server);
  second.say({ type: 'open', docId });
  const third = await connected(server, {}, '--storage', folder);
  const begin = Date.now();
  assert.equal((await ask(third, { type: 'open', docId }, 'opened')).content, 'kept');
  assert(Date.now() - begin < 9000);
  const error = await second.expect('error', { code: 'unavailable', request: 'open' });
  assert.match(error.message, /^Failed to open: no connection to ws:/);
  third.say({ type: 'edit', content: 'kept!' });
  await server.start();
  assert.equal((await ask(second, { type: 'open', docId }, 'opened')).docId, docId);
  if (second.text !== 'kept!') await second.findText('kept!');
});

test('--storage: killed in the middle, nothing is lost', async () => {
  const folder = scratchFolder();
  const server = await DocumentServer.start();
  const first = await connected(server, {}, '--storage', folder);
  const docId = await onlineCreate(first, 'one');
  const file = join(folder, `${docId.slice('automerge:'.length)}.automerge`);
  const onDisk = () => Automerge.load(new Uint8Array(readFileSync(file))).content?.toString();
  await server.kill();
  for (let i = 0; i < 200; ++i) first.say({ type: 'edit', content: `one ${'x'.repeat(i)}` });
  first.say({ type: 'info' });
  await first.find('info');
  first.child.kill('SIGKILL');
  await first.ended;
  const last = `one ${'x'.repeat(199)}`;
  assert.equal(onDisk(), last);
  assert.equal(statSync(file).mode & 0o777, 0o600);

  const second = await connected(server, {}, '--storage', folder);
  assert.equal((await ask(second, { type: 'open', docId }, 'opened')).content, last);
  second.say({ type: 'edit', content: `${last} more` }, { type: 'info' });
  await second.find('info');
  second.child.kill('SIGKILL');
  await second.ended;
  assert.equal(onDisk(), `${last} more`);
  // A torn end is dropped.
  writeFileSync(file, readFileSync(file).subarray(0, -3));
  await server.start();
  const third = await connected(server, {}, '--storage', folder);
  await ask(third, { type: 'open', docId }, 'opened');
  if (third.text !== last) await third.findText(last);
  third.say({ type: 'edit', content: 'after' });
  await quit(third);
  assert.equal(onDisk(), 'after');
  const ann = await new Client(server.url).open(docId);
  await ann.holds('after');
});

test('--storage: killed while it writes', async () => {
  const folder = scratchFolder();
  const server = await DocumentServer.start();
  await server.kill();
  let first = await connected(server, {}, '--storage', folder);
  const docId = await create(first, '');
  const file = join(folder, `${docId.slice('automerge:'.length)}.automerge`);
  for (let round = 0; round < 6; ++round) {
    let text = '';
    for (let i = 0; i < 300; ++i) first.say({ type: 'edit', content: (text += `${round} ${i}\n`) });
    await delay(15 * round); // somewhere within
    first.child.kill('SIGKILL');
    await first.ended;
    const doc = Automerge.load(new Uint8Array(readFileSync(file)));
    const onDisk = doc.content?.toString() ?? '';
    first = await connected(server, {}, '--storage', folder);
    assert.equal((await ask(first, { type: 'open', docId }, 'opened')).content, onDisk);
  }
  await quit(first);
});

test('--storage: one at a time', async () => {
  const folder = scratchFolder();
  const server = await DocumentServer.start();
  const first = await connected(server, {}, '--storage', folder);
  const docId = await onlineCreate(first, 'mine');
  const second = await connected(server, {}, '--storage', folder);
  const error = await ask(second, { type: 'open', docId }, 'error');
  assert.match(error.message, /^Failed to open: ./);
  assert.equal(error.request, 'open');
  // Another document is fine, and this one once the first has closed it.
  await create(second, 'other');
  first.say({ type: 'close' });
  await first.find('closed');
  await until('the first has let it go', async () => {
    second.say({ type: 'open', docId });
    const line = await second.find('an answer', ({ type }) => type === 'opened' || type === 'error');
    return line.type === 'opened' && line.content === 'mine';
  });
  assert.equal(readdirSync(folder).filter((name) => name.endsWith('.automerge')).length, 2);
});

test('--storage: a file that is none', async () => {
  const folder = scratchFolder();
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: 'there' });
  const file = join(folder, `${ann.handle.documentId}.automerge`);
  writeFileSync(file, 'this is no document, and long enough to be looked at');
  const first = await connected(server, {}, '--storage', folder);
  first.say({ type: 'open', docId: ann.url });
  const line = await first.next();
  // Refused, or kept aside: never overwritten.
  if (line.type === 'error') assert.match(readFileSync(file, 'utf8'), /^this is no document/);
  else assert(readdirSync(folder).some((name) => readFileSync(join(folder, name), 'utf8').startsWith('this is no document')));
});

test('--status', async () => {
  const server = await DocumentServer.start();
  const relay = await Relay.start();
  const first = await connected(server, { awarenessUrl: relay.url }, '--status');
  const states = [await first.next(), await first.next()];
  assert.deepEqual(states.map(({ type }) => type).sort(), ['awareness_status', 'sync_status']);
  assert(states.every(({ connected: is }) => is === true));
  const docId = await create(first, 'abc');
  const socket = await relaySocket(relay.url);
  const state = { user: { name: 'Ben', color: '#112233' }, typing: false, selection: { anchor: 1, head: 3 } };
  socket.say('no json');
  socket.say({ type: 'awareness', clientID: 5, documentId: docId, state });
  socket.say({ type: 'awareness', clientID: 'ben', documentId: 'automerge:other', state });
  socket.say({ type: 'awareness', clientID: first.userId, documentId: docId, state });
  socket.say({ type: 'awareness', clientID: 'ben', documentId: docId, state });
  await first.expect('cursor', { userId: 'ben', name: 'Ben', color: '#112233', anchor: 1, head: 3 });
  // The same again is no news; the bare id is the same document.
  socket.say({ type: 'awareness', clientID: 'ben', documentId: docId, state });
  socket.say({ type: 'awareness', clientID: 'ben', documentId: docId.slice('automerge:'.length), state: { ...state, selection: { anchor: 99 } } });
  await first.expect('cursor', { userId: 'ben', anchor: 3, head: null });
  // 15 s without a word.
  await first.expect('cursor_removed', { userId: 'ben' });
  first.say({ type: 'disconnect' });
  const last = [await first.next(), await first.next(), await first.next()];
  assert.deepEqual(last.map(({ type }) => type).sort(), ['awareness_status', 'disconnected', 'sync_status']);
});

test('what goes to the relay', async () => {
  const server = await DocumentServer.start();
  const relay = await Relay.start();
  const first = await connected(server, { awarenessUrl: relay.url, name: 'Alice', color: '#4ECDC4' });
  await until('it joins', () => relay.frames.length > 0);
  assert.deepEqual(relay.frames[0], { type: 'join', documentId: 'default', clientID: first.userId });
  const docId = await create(first, '😀abc');
  for (let i = 0; i <= 200; ++i) first.say({ type: 'cursor', offset: i % 3 });
  first.say({ type: 'cursor', offset: 3, selection: { anchor: 1 } });
  await until('the last comes', () => relay.frames.at(-1).state?.selection?.head === 2);
  const states = relay.frames.filter(({ type }) => type === 'awareness');
  assert(states.length < 100, `${states.length} frames`);
  assert.deepEqual(states.at(-1).state.selection, { anchor: 2, head: 2 });
  assert.deepEqual(states.at(-1).state.user, { name: 'Alice', color: '#4ECDC4' });
  assert(states.every(({ documentId, clientID }) => documentId === docId && clientID === first.userId));
  first.say({ type: 'close' });
  await until('it says that it has closed', () => relay.frames.at(-1).documentId === 'default' && relay.frames.at(-1).state.selection === null);
});

test('--offsets utf16', async () => {
  const server = await DocumentServer.start();
  const relay = await Relay.start();
  const { first, second } = await pair(server, '😀😀b', { awarenessUrl: relay.url }, '--offsets', 'utf16');
  first.say({ type: 'cursor', offset: 4, selection: { anchor: 4, head: 2 } });
  await second.find('the place', ({ type, anchor, head }) => type === 'cursor' && anchor === 4 && head === 2);
  assert(relay.frames.some(({ state }) => state?.selection?.anchor === 4 && state.selection.head === 2));
});

test('a remote cursor moves with the text', async () => {
  const server = await DocumentServer.start();
  const relay = await Relay.start();
  const { first, second, docId } = await pair(server, 'abc', { awarenessUrl: relay.url });
  first.say({ type: 'cursor', offset: 2 });
  await second.find('the place', ({ type, anchor }) => type === 'cursor' && anchor === 2);
  const ann = await new Client(server.url).open(docId);
  ann.edit((doc) => Automerge.splice(doc, ['content'], 0, 0, '😀😀'));
  await second.find('the new place', ({ type, anchor }) => type === 'cursor' && anchor === 4);
});

test('the end of its input, and of the last line', async () => {
  const server = await DocumentServer.start();
  const first = await connected(server);
  first.child.stdin.end('{"type":"info"}');
  await first.expect('info');
  await first.exit(0);
});

test('signals', async () => {
  const server = await DocumentServer.start();
  for (const [signal, code] of [['SIGTERM', 143], ['SIGINT', 130]]) {
    const first = await connected(server);
    const docId = await onlineCreate(first, signal);
    await ask(first, { type: 'info' }, 'info');
    first.child.kill(signal);
    await first.exit(code);
    assert.equal(first.errors, '');
    await (await new Client(server.url).open(docId)).holds(signal);
  }
});

test('nobody reads its pipe: it ends by itself', async () => {
  const shell = new Program('bash', ['-c', '"$@" | head -n 1; echo "${PIPESTATUS[0]}"', 'bash', collab, 'nvim-helper'], { isJson: false });
  shell.say({ type: 'info' });
  await shell.next();
  shell.say({ type: 'info' });
  assert.equal(await shell.next(), '0');
});

// Node and Neovim make sockets for the streams of a program.
test('nobody reads its socket: it ends by itself', async () => {
  const server = await DocumentServer.start();
  const first = await connected(server);
  first.child.stdout.destroy();
  await until('it has ended', () => first.child.exitCode !== null, 10_000);
  await first.exit(0);
});

test('a line that is too long', async () => {
  const server = await DocumentServer.start();
  const first = await connected(server);
  await onlineCreate(first, 'x');
  const { stdin } = first.child;
  stdin.write('{"type":"edit","content":"');
  for (let i = 0; i < 65; ++i) if (!stdin.write('y'.repeat(1 << 20))) await once(stdin, 'drain');
  stdin.write('"}\n{"type":"info"}\n');
  const error = await first.expect('error', { code: 'too_large' });
  assert.match(error.message, /^Too large: /);
  await first.expect('info');
});
