// cursor-collab agent.   node agent.mjs CURSOR_COLLAB LOCAL_UPSTREAM
import * as Automerge from '@automerge/automerge';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { afterEach } from 'node:test';
import { answeringServer, certificate, Client, cleanUp, DocumentServer, Program, scratchFolder, sharedDocument, until } from './peers.mjs';

const [collab, upstream] = process.argv.slice(2);
afterEach(cleanUp);

const agent = (server, doc, ...args) => new Program(collab, ['agent', '--sync', server.url, '--doc', doc.url, ...args]);
const local = (server, doc, ...args) => agent(server, doc, '--local', '--prompt', 'Say hi.', ...args);

// The agent service, which plays a script.
async function service(steps) {
  const folder = scratchFolder();
  const script = join(folder, 'script.json');
  const ca = join(folder, 'ca.pem');
  writeFileSync(script, JSON.stringify({ name: 'of the test', steps }));
  const program = new Program(upstream, ['--ca-out', ca, script], { isJson: false });
  const url = (await program.next()).split(' ').at(-1);
  await program.next();
  return { args: ['--endpoint', url, '--cacert', ca], program };
}
const asked = (server, doc, { args }, ...more) =>
  new Program(collab, ['agent', '--sync', server.url, '--doc', doc.url, '--prompt', 'Go.', ...args, ...more], {
    env: { CURSOR_ACCESS_TOKEN: 'a-token-of-this-test' },
  });
const splice = (at, count, text) => (doc) => Automerge.splice(doc, ['content'], at, count, text);
const inserted = (program) => program.all.filter(({ type }) => type === 'inserted');
const sum = (program) => inserted(program).reduce((all, { length }) => all + length, 0);
// Cursors of a thousand peers, as fast as they can be said, until the program has ended.
async function floodWithCursors(client, program) {
  let count = 0;
  (function say() {
    if (program.code !== undefined) return;
    for (let i = 0; i < 20; ++i, ++count) {
      client.say({ type: 'cursor', peerId: `peer-${count % 1000}`, position: count % 7, timestamp: Date.now() });
    }
    setImmediate(say);
  })();
  await until('many were said', () => count > 3000 || program.code !== undefined);
}

test('writes at the end, and others see its cursor', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: 'Start 😀\n' });
  const program = local(server, ann);
  const started = await program.expect('started');
  const done = await program.find('done');
  await program.exit(0);
  assert.equal(program.errors, '');
  assert.equal(inserted(program)[0].position, 8);
  assert.equal(sum(program), done.characters);
  await until('all is there', () => [...ann.text()].length === 8 + done.characters);
  assert(ann.text().startsWith('Start 😀\n'));

  const cursors = ann.messages;
  assert(cursors.length >= 3);
  for (const cursor of cursors) {
    assert.equal(cursor.type, 'cursor');
    assert.match(cursor.peerId, /^ai-[0-9A-Za-z]{8}$/);
    assert.equal(cursor.peerId, cursors[0].peerId);
    assert.equal(cursor.name, 'Cursor');
    assert.match(cursor.color, /^#[0-9A-F]{6}$/);
    assert(Math.abs(cursor.timestamp - Date.now()) < 600_000);
    assert(!('anchor' in cursor) && !Object.values(cursor).includes(undefined));
    if ('partialPattern' in cursor) assert(cursor.partialPattern.length > 0 && [...cursor.partialPattern].length <= 40);
  }
  const [first] = cursors;
  assert.deepEqual([first.cursorType, first.operationType, first.position, first.color], ['ai', 'insert', 9, '#9333EA']);
  const streaming = cursors.filter(({ cursorType }) => cursorType === 'streaming_edit');
  assert(streaming.length >= 1);
  assert(streaming.every(({ color }) => color === '#F59E0B'));
  const last = cursors.at(-1);
  assert.deepEqual([last.cursorType, last.position], ['ai', ann.text().length]);
  assert.equal(cursors.filter(({ cursorType }) => cursorType === 'ai').length >= 2, true);
  assert.equal(started.peerId, first.peerId);
});

test('--at, --append, --replace, --name, a place behind the end', async () => {
  const server = await DocumentServer.start();
  const said = await service([{ text: 'One ' }, { text: 'two.' }, { turn_ended: {} }]);
  const write = async (content, ...args) => {
    const doc = await sharedDocument(server, { content });
    const program = asked(server, doc, said, ...args);
    await program.find('done');
    await program.exit(0);
    await until('it is there', () => doc.text().includes('One two.'));
    return { text: doc.text(), messages: doc.messages };
  };
  assert.equal((await write('😀b', '--at', '1')).text, '😀One two.b');
  assert.equal((await write('ab', '--append')).text, 'abOne two.');
  assert.equal((await write('ab')).text, 'abOne two.');
  assert.equal((await write('', '--at', '0')).text, 'One two.');
  assert.equal((await write('ab', '--at', '99999999999999999999')).text, 'abOne two.');
  assert.equal((await write('ab', '--replace', '1:99')).text, 'aOne two.');
  const { text, messages } = await write('a😀bc', '--replace', '1:3', '--name', 'Äda');
  assert.equal(text, 'aOne two.c');
  assert.deepEqual([messages[0].cursorType, messages[0].operationType, messages[0].name], ['ai', 'replace', 'Äda']);
  assert.equal((await write('ab', '--replace', '1:1')).text, 'aOne two.b');
});

test('--field, and the prompt from standard input', async () => {
  const server = await DocumentServer.start();
  const doc = await sharedDocument(server, { content: 'c', text: 't' });
  const said = await service([
    { expect_request: { action: { user_message_action: { user_message: { text: { $contains: 'What is ‘this’?' } } } } } },
    { text: 'said' },
    { turn_ended: { input_tokens: 7, output_tokens: 3 } },
  ]);
  const program = new Program(collab, ['agent', '--sync', server.url, '--doc', doc.url, '--prompt', '-', '--field', 'text', ...said.args], {
    env: { CURSOR_ACCESS_TOKEN: 'any' },
  });
  program.child.stdin.end('What is ‘this’?');
  const done = await program.find('done');
  await program.exit(0);
  assert(JSON.stringify(done.usage).includes('7'));
  await doc.holds('tsaid', 'text');
  assert.equal(doc.text(), 'c');
  assert.equal(said.program.errors, '');
});

test('the text that is replaced stays until the answer begins', async () => {
  const server = await DocumentServer.start();
  const doc = await sharedDocument(server, { content: 'keep old keep' });
  const failing = await service([{ error: { code: 'resource_exhausted' } }]);
  const program = asked(server, doc, failing, '--replace', '5:8');
  await program.find('error');
  await program.fails(7, /resource_exhausted/);
  assert.equal(doc.text(), 'keep old keep');
});

test('people edit around it while it writes', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: 'before|after' });
  const program = local(server, ann, '--at', '7');
  await program.find('inserted');
  ann.edit(splice(0, 0, 'X'));
  await program.find('inserted');
  ann.edit(splice(ann.text().length - 4, 4, 'FTER'));
  await program.find('inserted');
  ann.edit(splice(0, 3, ''));
  const done = await program.find('done');
  await program.exit(0);
  await until('all is there', () => ann.text().length === 'fore|aFTER'.length + done.characters);
  assert(ann.text().startsWith('fore|') && ann.text().endsWith('aFTER'), ann.text());
});

test('people delete what it has written, and the place', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: 'a[place]z' });
  const said = await service([{ text: 'one' }, { wait: 1500 }, { text: 'two' }, { wait: 1500 }, { text: 'three' }, { turn_ended: {} }]);
  const program = asked(server, ann, said, '--at', '4');
  await until('the first is there', () => ann.text() === 'a[plonace]z' || ann.text().includes('one'));
  ann.edit(splice(1, ann.text().length - 2, ''));
  assert.equal(ann.text(), 'az');
  await until('the second is there', () => ann.text() === 'atwoz');
  ann.edit(splice(1, 3, 'W'));
  await until('the third is there', () => ann.text().includes('three'));
  assert(ann.text() === 'aWthreez' || ann.text() === 'athreeWz', ann.text());
  await program.find('done');
  await program.exit(0);
});

test('everything is deleted', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: 'old text' });
  const said = await service([{ wait: 500 }, { text: 'new' }, { turn_ended: {} }]);
  const program = asked(server, ann, said, '--replace', '0:8');
  await program.expect('started');
  ann.edit(splice(0, 8, ''));
  await program.find('done');
  await program.exit(0);
  await ann.holds('new');
});

test('the text that is to go is gone in part, and others have typed in it', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: 'a[0123456789]z' });
  const said = await service([{ wait: 500 }, { text: 'new' }, { turn_ended: {} }]);
  const program = asked(server, ann, said, '--replace', '2:12');
  await program.expect('started');
  ann.edit(splice(10, 2, ''));
  ann.edit(splice(2, 2, ''));
  await program.find('done');
  await program.exit(0);
  await ann.holds('a[new]z');
});

test('the server dies in the middle of an answer', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: '>' });
  const said = await service([{ text: 'one ' }, { wait: 1000 }, { text: 'two ' }, { wait: 1000 }, { text: 'three' }, { turn_ended: {} }]);
  const program = asked(server, ann, said);
  await program.find('inserted');
  await ann.holds('>one ');
  await server.kill();
  ann.edit(splice(0, 0, '>'));
  await program.find('inserted'); // it goes on
  await server.start();
  const done = await program.find('done');
  assert.equal(done.characters, 13);
  await program.exit(0);
  await ann.holds('>>one two three');
});

test('the server dies and does not come back before the answer is complete', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: '>' });
  const folder = scratchFolder();
  const said = await service([{ text: 'one ' }, { wait: 500 }, { text: 'two' }, { turn_ended: {} }]);
  const program = asked(server, ann, said, '--storage', folder);
  await program.find('inserted');
  await server.kill();
  await program.find('inserted');
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.automerge'));
  assert.equal(Automerge.load(new Uint8Array(readFileSync(join(folder, file)))).content.toString(), '>one two');
  await server.start();
  await program.find('done');
  await program.exit(0);
  await ann.holds('>one two');
});

test('Ctrl-C keeps what is written', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: '' });
  const said = await service([{ text: 'kept' }, { expect_cancel: {} }]);
  for (const [signal, code, text] of [['SIGINT', 130, 'kept'], ['SIGTERM', 143, 'keptkept']]) {
    const program = asked(server, ann, said);
    await program.find('inserted');
    await ann.holds(text);
    program.child.kill(signal);
    await program.exit(code);
    assert.equal(ann.text(), text);
  }
});

test('Ctrl-C right after the text', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: '' });
  const said = await service([{ text: 'kept' }, { expect_cancel: {} }]);
  const program = asked(server, ann, said);
  await program.find('inserted');
  program.child.kill('SIGINT');
  await program.exit(130);
  await ann.holds('kept');
});

test('Ctrl-C while cursors come without a pause', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: '' });
  const said = await service([{ text: 'kept' }, { expect_cancel: {} }]);
  const program = asked(server, ann, said);
  await program.find('inserted');
  await floodWithCursors(ann, program);
  program.child.kill('SIGINT');
  await program.exit(130);
  await ann.holds('kept');
});

test('the answer goes on while cursors come without a pause', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: '' });
  const said = await service([{ text: 'one ' }, { wait: 2000 }, { text: 'two' }, { turn_ended: {} }]);
  const program = asked(server, ann, said);
  await program.find('inserted');
  await floodWithCursors(ann, program);
  const done = await program.find('done');
  assert.equal(done.characters, 7);
  await program.exit(0);
  await ann.holds('one two');
});

for (const [code, exit] of [['unauthenticated', 3], ['permission_denied', 3], ['unavailable', 4], ['deadline_exceeded', 5], ['resource_exhausted', 7], ['internal', 1]]) {
  test(`the service says ${code} after some text`, async () => {
    const server = await DocumentServer.start();
    const ann = await sharedDocument(server, { content: 'a' });
    // Text that has not been written is not written any more.
    const said = await service([{ text: 'some text' }, { wait: 300 }, { error: { code } }]);
    const program = asked(server, ann, said);
    await program.find('inserted');
    const error = await program.find('error');
    assert.equal(error.code, code);
    await program.fails(exit, new RegExp(`error: ${code}: `));
    assert(!program.all.some(({ type }) => type === 'done'));
    assert(!program.errors.includes('a-token-of-this-test') && !program.errors.includes('some text'));
    await ann.holds('asome text');
  });
}

test('a token that is refused', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: 'a' });
  const said = await service([{ http_status: { status: 401, error: { code: 'unauthenticated' } } }]);
  const program = asked(server, ann, said);
  await program.find('error');
  await program.fails(3, /unauthenticated/);
  assert.equal(ann.text(), 'a');
});

test('the service breaks off', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: 'a' });
  const said = await service([{ text: 'b' }, { wait: 300 }, { drop: {} }]);
  const program = asked(server, ann, said);
  await program.find('error');
  await program.fails(4, /unavailable/);
  await ann.holds('ab');
});

test('tools are not offered, and those of the service are refused', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: '' });
  const said = await service([
    { exec: { read_args: { path: '/etc/hostname' } }, await: false, expect_throw: { $any: true } },
    { text: 'x' },
    { turn_ended: {} },
  ]);
  const program = asked(server, ann, said);
  await program.find('an end', ({ type }) => type === 'done' || type === 'error');
  await program.ended;
  // Whatever the end: the file was not read.
  assert(!said.program.errors.includes('success'), said.program.errors);
});

test('text in pieces: surrogates, combining characters, line ends', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: '|' });
  const pieces = ['\r', '\n', 'e', '\u0301', '\u{1F469}', '\u200D', '\u{1F467}', '\u0000', ' end'];
  const said = await service([...pieces.map((text) => ({ text })), { turn_ended: {} }]);
  const program = asked(server, ann, said, '--at', '0');
  const done = await program.find('done');
  await program.exit(0);
  const text = pieces.join('');
  await ann.holds(`${text}|`);
  assert.equal(done.characters, [...text].length);
});

test('an answer without text', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: 'ab' });
  const said = await service([{ turn_ended: {} }]);
  const program = asked(server, ann, said, '--replace', '0:2');
  await program.find('done', ({ type, characters }) => type === 'done' && characters === 0);
  await program.exit(0);
  assert.equal(ann.text(), 'ab');
});

test('an answer of 200 KB', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: '' });
  const text = 'word 😀\n'.repeat(1000);
  const said = await service([...Array.from({ length: 20 }, () => ({ text })), { turn_ended: {} }]);
  const program = asked(server, ann, said);
  const done = await program.find('done');
  await program.exit(0);
  assert.equal(done.characters, [...text].length * 20);
  await ann.holds(text.repeat(20));
});

test('two at once', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: '1\n2\n' });
  const said = await service([...Array.from({ length: 20 }, (_, i) => [{ text: `w${i} ` }, { wait: 30 }]).flat(), { turn_ended: {} }]);
  const whole = Array.from({ length: 20 }, (_, i) => `w${i} `).join('');
  const programs = [asked(server, ann, said, '--at', '3')];
  await programs[0].expect('started'); // its place is settled
  programs.push(asked(server, ann, said, '--at', '1'));
  for (const program of programs) {
    await program.find('done');
    await program.exit(0);
  }
  await ann.holds(`1${whole}\n2${whole}\n`);
  assert.equal(new Set(ann.messages.map(({ peerId }) => peerId)).size, 2);
});

test('nobody has the document', async () => {
  const server = await DocumentServer.start();
  const nobody = new Client('ws://127.0.0.1:9').create({ content: 'x' });
  const program = local(server, nobody);
  await program.find('error');
  await program.fails(4, /unavailable/);
});

test('the reader of its lines goes', async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: '' });
  const program = local(server, ann);
  await program.expect('started');
  program.child.stdout.destroy();
  await program.exit(0);
  assert.equal(program.errors, '');
});

test('wss://', async () => {
  const tls = certificate();
  const server = await DocumentServer.start({ tls });
  const handle = server.repo.create({ content: 'Start.' });
  const program = local(server, handle, '--cacert', tls.file);
  const { characters } = await program.find('done');
  await program.exit(0);
  await until('all is there', () => handle.doc().content.length === 'Start.'.length + characters);
});

test('the server offers another version', async () => {
  const server = await answeringServer({ type: 'peer', selectedProtocolVersion: '2', peerMetadata: {} });
  const ann = new Client('ws://127.0.0.1:9').create({ content: 'x' });
  const program = local(server, ann);
  await program.find('error');
  await program.fails(6, /version/);
});

// Takes a minute.
test('a minute without a server: what came is kept', { skip: !process.env.CURSORWIRE_DEEP }, async () => {
  const server = await DocumentServer.start();
  const ann = await sharedDocument(server, { content: '' });
  const folder = scratchFolder();
  const said = await service([{ text: 'One ' }, { wait: 120_000 }, { text: 'two.' }, { turn_ended: {} }]);
  const program = asked(server, ann, said, '--storage', folder);
  await program.find('inserted');
  const begin = Date.now();
  await server.kill();
  assert.deepEqual(await program.ended, { code: 4, signal: null });
  assert(Date.now() - begin >= 60_000);
  assert.match(program.errors, /^cursor-collab: error: unavailable: /);
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.automerge'));
  assert.equal(Automerge.load(new Uint8Array(readFileSync(join(folder, file)))).content.toString(), 'One ');
});
