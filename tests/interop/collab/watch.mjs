// cursor-collab watch.   node watch.mjs CURSOR_COLLAB
import { updateText } from '@automerge/automerge-repo';
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import test, { afterEach } from 'node:test';
import { answeringServer, certificate, Client, cleanUp, DocumentServer, Program, sharedDocument, until } from './peers.mjs';

const [collab] = process.argv.slice(2);
afterEach(cleanUp);

const watch = (server, doc, ...args) => new Program(collab, ['watch', doc, '--sync', server.url, ...args]);
async function watching(server, doc, ...args) {
  const program = watch(server, doc, ...args);
  await program.expect('connected');
  const opened = await program.expect('opened');
  return { program, opened };
}
const splice = (at, count, text, key = 'content') => (doc) => {
  const old = doc[key];
  updateText(doc, [key], old.slice(0, at) + text + old.slice(at + count));
};
const cursor = (more) => ({
  type: 'cursor', peerId: 'peer-a3f2', name: 'Ann', cursorType: 'user', position: 0, color: '#123456', timestamp: Date.now(), ...more,
});
// Cursors of a thousand peers, as fast as they can be said, until the program has ended.
async function watchingAFlood() {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: '0123456789' });
  const { program } = await watching(server, ann.url);
  let count = 0;
  (function say() {
    if (program.code !== undefined) return;
    for (let i = 0; i < 20; ++i, ++count) ann.say(cursor({ peerId: `peer-${count % 1000}`, position: count % 7 }));
    setImmediate(say);
  })();
  await until('all of them were told of', () => program.all.length > 2000);
  return program;
}

test('tells of the text and of each change', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: 'Hello\n' });
  const { program, opened } = await watching(server, ann.url);
  assert.equal(opened.docId, ann.url);
  assert.equal(opened.content, 'Hello\n');
  ann.edit(splice(5, 0, ', 世界! 😀'));
  const changed = await program.findText('Hello, 世界! 😀\n');
  assert.equal(changed.type, 'changed');
  assert.match(changed.heads[0], /^[0-9a-f]{64}$/);
  ann.edit(splice(0, 5, ''));
  await program.findText(', 世界! 😀\n');
  // An edit of something else is no change of the text.
  ann.edit((doc) => (doc.title = 'x'));
  ann.edit(splice(0, 1, ''));
  await program.expect('changed', { content: ' 世界! 😀\n' });
  program.child.kill('SIGTERM');
  await program.exit(143);
  assert.equal(program.errors, '');
  await until('it said goodbye', () => server.closeCodes.includes(1000));
});

test('an id alone, CRLF, odd characters, lines in one line', async () => {
  const server = await DocumentServer.start();
  const text = 'a\r\nb\rc\u2028d\u0000e\u{1F469}\u200D\u{1F467}\ufeff"\\\t';
  const ann = await sharedDocument(server, { content: text });
  const { program, opened } = await watching(server, ann.handle.documentId);
  assert.equal(opened.content, text);
  assert.equal(opened.docId, ann.url);
  ann.edit(splice(1, 2, '\n'));
  await program.findText(text.replace('\r\n', '\n'));
  program.child.kill('SIGINT');
  await program.exit(130);
});

test('an empty text opens at once', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: '' });
  const { program } = await watching(server, ann.url);
  assert.equal(program.all.at(-1).content, '');
});

test('--once', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: 'once' });
  const program = watch(server, ann.url, '--once');
  await program.expect('connected');
  await program.expect('opened', { content: 'once' });
  await program.exit(0);
  assert.deepEqual(program.lines, []);
  assert.equal(program.errors, '');
});

test('the key of the text', async () => {
  const server = await DocumentServer.start();
  const both = await sharedDocument(server, { text: 'of text', content: 'of content' });
  const text = await sharedDocument(server, { text: 'of text' });
  const other = await sharedDocument(server, { body: 'of body' });
  const once = async (doc, ...args) => {
    const program = watch(server, doc.url, '--once', ...args);
    const line = await program.find('opened');
    await program.exit(0);
    return line.content;
  };
  assert.equal(await once(both), 'of content');
  assert.equal(await once(both, '--field', 'text'), 'of text');
  assert.equal(await once(text), 'of text');
  assert.equal(await once(text, '--field', 'content'), '');
  assert.equal(await once(other, '--field', 'body'), 'of body');
  assert.equal(await once(other), '');
  const { program } = await watching(server, text.url);
  text.edit(splice(0, 2, 'in', 'text'));
  await program.findText('in text');
});

test('a key that appears later', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { title: 'x' });
  const { program } = await watching(server, ann.url);
  ann.edit((doc) => (doc.text = 'here'));
  await program.findText('here');
});

test('what is no text is an error', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: [1, 2] });
  const program = watch(server, ann.url);
  await program.find('error');
  await program.exit(1);
  assert.match(program.errors, /not a text document/);
});

test('cursors come, move with the text, and grow stale', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: 'a😀b\nc' });
  const { program } = await watching(server, ann.url);
  ann.say(cursor({ position: 3, anchor: 1 }));
  assert.deepEqual(await program.next(), {
    type: 'cursor', peerId: 'peer-a3f2', name: 'Ann', cursorType: 'user', color: '#123456', position: 2, anchor: 1,
  });
  // Within a surrogate pair; at a newline; behind the end.
  ann.say(cursor({ position: 2 }));
  await program.expect('cursor', { position: 1, anchor: undefined, hidden: undefined });
  ann.say(cursor({ position: 4 }));
  await program.expect('cursor', { position: 3, hidden: true });
  ann.say(cursor({ position: 99.5, anchor: 99 }));
  await program.expect('cursor', { position: 5, anchor: undefined });
  ann.say(cursor({ position: 3 }));
  await program.expect('cursor', { position: 2 });
  ann.edit(splice(0, 0, '😀😀'));
  const lines = [await program.next(), await program.next()];
  assert.deepEqual(lines.map(({ type }) => type).sort(), ['changed', 'cursor']);
  assert.equal(lines.find(({ type }) => type === 'cursor').position, 4);
  // An AI, with all members; no colour of its own; then nothing, for 10 s.
  ann.say(cursor({
    peerId: 'ai-gpt4', name: 'Bot\n\u0007', cursorType: 'streaming_edit', position: 0, color: 'red', partialPattern: 'foo.*', operationType: 'regex_edit',
  }));
  const ai = await program.next();
  assert.deepEqual({ ...ai, color: undefined }, {
    type: 'cursor', peerId: 'ai-gpt4', name: 'Bot', cursorType: 'streaming_edit', color: undefined, position: 0, partialPattern: 'foo.*', operationType: 'regex_edit',
  });
  assert.match(ai.color, /^#[0-9A-Fa-f]{6}$/);
  const gone = [await program.next(), await program.next()];
  assert.deepEqual(gone.map(({ type, reason }) => [type, reason]), [['cursor_removed', 'stale'], ['cursor_removed', 'stale']]);
  assert.deepEqual(gone.map(({ peerId }) => peerId).sort(), ['ai-gpt4', 'peer-a3f2']);
  // It may come back.
  ann.say(cursor({ position: 0 }));
  await program.expect('cursor', { peerId: 'peer-a3f2', position: 0 });
});

test('messages that are no cursors', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: 'abc' });
  const { program } = await watching(server, ann.url);
  const bad = [
    'text', 7, null, [], {}, { type: 'other' }, { type: 'cursor' }, { type: 'cursor', peerId: 5, position: 1 }, { type: 'cursor', peerId: 'p', position: 'x' },
    { type: 'cursor', peerId: 'p', position: -1 }, { type: 'cursor', peerId: 'p', position: NaN }, { type: 'cursor', peerId: 'p', position: Infinity },
  ];
  bad.forEach((message) => ann.say(message));
  ann.say({ type: 'cursor', peerId: 'nvim-a1b2c3d4', position: 1, anchor: undefined, unknown: { a: [1] } });
  await program.expect('cursor', { peerId: 'nvim-a1b2c3d4', name: 'Anonymous', cursorType: 'user', color: '#FFA07A', position: 1 });
});

test('--offsets utf16', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: '😀😀b' });
  const { program } = await watching(server, ann.url, '--offsets', 'utf16');
  ann.say(cursor({ position: 4, anchor: 2 }));
  await program.expect('cursor', { position: 4, anchor: 2 });
});

test('a text of 1 MB, edited at both ends', async () => {
  const server = await DocumentServer.start();
  const line = 'The quick brown fox jumps over the lazy dog 0123456789 abcdefgh\n';
  const text = line.repeat(1 + 1024 * 1024 / line.length);
  const ann = await sharedDocument(server, { content: text });
  const { program, opened } = await watching(server, ann.url);
  assert(opened.content === text);
  ann.edit(splice(0, 3, 'A'));
  await program.find('the edit at the begin', ({ content }) => content === `A${text.slice(3)}`);
  ann.edit(splice(text.length - 3, 0, '!'));
  await program.find('the edit at the end', ({ content }) => content === `A${text.slice(3, -1)}!\n`);
});

test('several who edit at once', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: 'x' });
  const { program } = await watching(server, ann.url);
  const ben = await new Client(server.url).open(ann.url);
  for (let i = 0; i < 50; ++i) {
    ann.edit(splice(0, 0, `a${i} `));
    ben.edit(splice(ben.text().length, 0, ` b${i}`));
    await new Promise(setImmediate);
  }
  await until('both have all', () => ann.text() === ben.text() && ann.text().length === 2 * (10 * 3 + 40 * 4) + 1);
  await program.findText(ann.text());
});

test('the server dies and comes back', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: 'one' });
  const { program } = await watching(server, ann.url);
  const { peerId } = program.all[0];
  await server.kill();
  const { retry_ms } = await program.expect('disconnected');
  assert(Number.isInteger(retry_ms) && retry_ms >= 0 && retry_ms <= 40_000);
  ann.edit(splice(3, 0, ' two'));
  await server.start();
  await program.find('connected', (line) => line.type === 'connected' && line.peerId === peerId);
  await program.findText('one two');
  ann.say(cursor({ position: 1 }));
  await program.find('a cursor', (line) => line.type === 'cursor' && line.position === 1);
  assert.equal(program.all.filter(({ type }) => type === 'opened').length, 1);
});

test('the server comes back without the document', async () => {
  const server = await DocumentServer.start({ forgets: true });
  const ann = await sharedDocument(server, { content: 'one' });
  const { program } = await watching(server, ann.url);
  ann.leave();
  await server.kill();
  await program.expect('disconnected');
  await server.start();
  await program.find('connected');
  // Who has it gives it to the server, and that to others.
  const ben = await new Client(server.url).open(ann.url);
  await ben.holds('one');
});

test('a document that nobody has', async () => {
  const server = await DocumentServer.start();
  const ann = new Client('ws://127.0.0.1:9').create({ content: 'x' });
  const program = watch(server, ann.url);
  await program.find('error');
  await program.fails(4, /unavailable/);
});

test('the reader of its lines goes', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: 'x' });
  const { program } = await watching(server, ann.url);
  program.child.stdout.destroy();
  ann.edit(splice(0, 0, 'y'));
  ann.edit(splice(0, 0, 'z'));
  const end = await program.ended;
  assert.deepEqual(end, { code: 0, signal: null });
  assert.equal(program.errors, '');
});

test('Ctrl-C while cursors come without a pause', async () => {
  const program = await watchingAFlood();
  program.child.kill('SIGINT');
  await program.exit(130);
  assert.equal(program.errors, '');
});

test('the reader of its lines goes while cursors come without a pause', async () => {
  const program = await watchingAFlood();
  program.child.stdout.destroy();
  await until('it has ended', () => program.code !== undefined);
  assert.deepEqual(await program.ended, { code: 0, signal: null });
  assert.equal(program.errors, '');
});

// The facts of version and error: docs/collab/automerge-repo.md.
for (const [what, answer] of [
  ['another version', { type: 'peer', selectedProtocolVersion: '2', peerMetadata: {} }],
  ['no version', { type: 'error', message: 'unsupported protocol version' }],
]) {
  test(`the server offers ${what}`, async () => {
    const server = await answeringServer(answer);
    const ann = new Client('ws://127.0.0.1:9').create({ content: 'x' });
    const program = watch(server, ann.url);
    await program.find('error');
    await program.fails(6, /./);
  });
}

test('a server that talks nonsense is left, and asked again', async () => {
  const nonsense = Array.from({ length: 100 }, () => ({ type: 'sync', documentId: 5 }));
  const server = await answeringServer({ type: 'peer', selectedProtocolVersion: '1', peerMetadata: {} }, ...nonsense);
  const ann = new Client('ws://127.0.0.1:9').create({ content: 'x' });
  const program = watch(server, ann.url);
  await program.find('connected');
  await program.find('the error', ({ type, message }) => type === 'error' && /100 messages/.test(message));
  await program.find('disconnected');
  await program.find('connected');
  program.child.kill('SIGINT');
  await program.exit(130);
});

for (const [status, code] of [[401, 'unauthenticated'], [403, 'permission_denied']]) {
  test(`a server that answers with ${status} is not asked again`, async () => {
    const server = createServer();
    server.on('upgrade', (request, socket) => socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`));
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    const ann = new Client('ws://127.0.0.1:9').create({ content: 'x' });
    const program = watch({ url: `ws://127.0.0.1:${server.address().port}` }, ann.url);
    await program.find('error', (line) => line.code === code);
    await program.exit(3);
    server.close();
  });
}

test('a message that is refused is the reason', async () => {
  const ann = new Client('ws://127.0.0.1:9').create({ content: 'x' });
  const broken = { type: 'sync', documentId: ann.url.slice('automerge:'.length), data: new Uint8Array([0x42, 1, 2]) };
  const server = await answeringServer({ type: 'peer', selectedProtocolVersion: '1', peerMetadata: {} }, broken, broken);
  const program = watch(server, ann.url, '--once');
  await program.find('error', ({ code, message }) => code === 'data_loss' && /was refused/.test(message));
  await program.exit(6);
  assert.equal(program.errors.match(/warning: data_loss: /g).length, 1);
});

test('wss://', async () => {
  const tls = certificate();
  const server = await DocumentServer.start({ tls });
  const handle = server.repo.create({ content: 'one' });
  // Schemes know no case.
  const trusting = watch({ url: server.url.replace('wss', 'WSS') }, handle.url, '--cacert', tls.file);
  await trusting.find('opened', ({ content }) => content === 'one');
  handle.change(splice(3, 0, ' two'));
  await trusting.findText('one two');
  trusting.child.kill('SIGINT');
  await trusting.exit(130);
  assert.equal(trusting.errors, '');
  await until('it was closed as it should be', () => server.closeCodes.includes(1000));
  // Whom nobody vouches for is not asked.
  const distrusting = watch(server, handle.url, '--once');
  await distrusting.find('error');
  await distrusting.fails(4, /certificate/);
});
