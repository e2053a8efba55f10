// cursor-collab oct: the way in, the way out, lost connections.   node session.mjs CURSOR_COLLAB LOCAL_UPSTREAM
import assert from 'node:assert/strict';
import test from 'node:test';
import { certificate, until } from './peers.mjs';
import { arrived, at, done, end, ends, FILE, holds, insert, joined, oct, ofType, room, start } from './setting.mjs';

test('the host closes the room', async () => {
  const place = await room({ [FILE]: 'a\n' });
  const { program } = await joined(place);
  await place.host.leave();
  await program.find('closed');
  await program.exit(0);
  assert.equal(program.errors, '');
});

test('the host closes the room in the middle of a run', async () => {
  const place = await room({ [FILE]: 'a\n' }, [[insert(1, 'b'), { expect_cancel: {} }]]);
  const { host, service } = place;
  const { program } = await joined(place);
  await host.type('@agent Go.\n');
  await holds(place, 'b\na\n@agent Go.\n');
  await host.leave();
  await program.find('closed');
  await program.exit(0);
  assert.equal(program.errors, '');
  assert.equal(service.violations, '');
});

test('the host is gone, and its place is kept for a while', async () => {
  const place = await room({ [FILE]: 'a\n' }, undefined, { server: { placeTime: 300 } });
  const { program } = await joined(place);
  place.host.stop();
  await program.find('closed');
  await program.exit(0);
});

test('the connection is lost, and comes back', async () => {
  const place = await room({ [FILE]: 'a\n' }, [[insert(1, 'b'), insert(1, 'c', done, at('c')), end], [end]]);
  const { host, service } = place;
  const { program, id } = await joined(place);
  const peer = place.relay.peer('agent');
  const stop = service.stopAt('stop-c');
  await host.type('@agent One.\n');
  await stop.reached;
  await holds(place, 'b\na\n@agent One.\n');
  // What both sides write meanwhile arrives.
  place.relay.isAway = true;
  peer.cut();
  await until('it is seen', () => peer.socket === undefined);
  await host.edit(0, 0, 'zero\n');
  stop.open();
  await program.find('done', ({ type, edits }) => type === 'done' && edits === 2);
  place.relay.isAway = false;
  await until('it is back', () => peer.connections === 2);
  await holds(place, 'zero\nb\nc\na\n@agent One.\n');
  await arrived(host, id);
  await host.type('@agent Two.\n');
  await program.find('done');
  // For the others it was never away.
  assert.deepEqual(host.left, []);
  assert.equal(host.joined.length, 1);
  assert.equal(host.stateOf(id).selection.path, FILE);
  await ends(place, program);
  await until('it has left', () => host.left.length === 1);
});

test('the connection comes back when its place is taken', async () => {
  const place = await room({ [FILE]: 'a\n' }, undefined, { server: { placeTime: 200 } });
  const { host } = place;
  const { program } = await joined(place);
  place.relay.isAway = true;
  place.relay.peer('agent').cut();
  await until('it is gone for the others', () => host.left.length === 1);
  place.relay.isAway = false;
  // It sees that the server wants nothing more of it, which the end of the room may be, too.
  const { code, signal } = await program.ended;
  assert.equal(signal, null);
  assert([0, 4].includes(code), `exit code ${code}`);
  assert.equal(code === 0, ofType(program, 'closed').length === 1);
});

// A run that is stopped in front of its only edit.
async function stopped(...args) {
  const place = await room({ [FILE]: 'a\n' }, [[insert(1, 'b', done, at('b')), end]]);
  const { program } = await joined(place, ...args);
  const stop = place.service.stopAt('stop-b');
  await place.host.type('@agent Go.\n');
  await stop.reached;
  return { ...place, program, stop, peer: place.relay.peer('agent') };
}

for (const args of [[], ['--once']]) {
  test(`an edit that cannot reach the room any more is an error ${args}`, async () => {
    const { relay, host, program, stop, peer } = await stopped(...args);
    relay.isAway = true;
    peer.cut();
    await until('it is seen', () => peer.socket === undefined);
    stop.open();
    await program.find('done');
    peer.leave('its place is taken');
    relay.isAway = false;
    await program.fails(4, /unavailable: the server has not said that it has got the last edits/);
    assert.equal(host.text(), 'a\n@agent Go.\n');
  });
}

test('--once brings its edit through a connection that fails without a word', async () => {
  const place = await stopped('--once');
  const { relay, host, program, stop, peer } = place;
  const { receive } = relay;
  let lost = 0;
  relay.receive = (from, data) => (from === peer ? ++lost : receive.call(relay, from, data));
  stop.open();
  await program.find('done');
  await until('it has said goodbye', () => lost >= 3);
  relay.receive = receive;
  peer.cut();
  await program.exit(0);
  assert.equal(peer.end, 'it left');
  await holds(place, 'b\na\n@agent Go.\n');
});

// Takes half a minute.
test('the connection does not come back', { skip: !process.env.CURSORWIRE_DEEP }, async () => {
  const place = await room({ [FILE]: 'a\n' });
  const { program } = await joined(place);
  const begin = Date.now();
  place.relay.isAway = true;
  place.relay.peer('agent').cut();
  await program.fails(4, /unavailable/);
  assert(Date.now() - begin >= 29_000);
});

for (const [signal, code] of [['SIGINT', 130], ['SIGTERM', 143]]) {
  test(`${signal} leaves the room`, async () => {
    const place = await room({ [FILE]: 'a\n' }, [[insert(1, 'b'), { expect_cancel: {} }]]);
    const { host, service } = place;
    const { program, id } = await joined(place);
    await until('it is seen', () => host.stateOf(id));
    await host.type('@agent Go.\n');
    await holds(place, 'b\na\n@agent Go.\n');
    program.child.kill(signal);
    await program.exit(code);
    assert.equal(program.errors, '');
    await until('it has left', () => host.left.length === 1);
    assert.equal(host.left[0].id, id);
    assert.equal(place.relay.peer('agent').end, 'it left');
    await until('it is not seen any more', () => host.stateOf(id) === undefined);
    assert.equal(host.text(), 'b\na\n@agent Go.\n');
    assert.equal(service.violations, '');
  });
}

test('Ctrl-C while it waits: for a login, for the host, for a server that answers nothing', async () => {
  const place = await room({ [FILE]: 'a\n' });
  const waiting = [];
  waiting.push(oct(place, '--login', 'url'));
  await waiting[0].find('login');
  place.host.decide = () => new Promise(() => {});
  waiting.push(oct(place));
  await waiting[1].find('status');
  let isAsked = false;
  place.relay.answer = async ({ path }) => (path === '/api/meta' ? new Promise(() => (isAsked = true)) : undefined);
  waiting.push(oct(place));
  await until('it has asked', () => isAsked);
  for (const program of waiting) {
    program.child.kill('SIGINT');
    await program.exit(130);
    assert.equal(program.errors, '');
  }
});

test('a login on a page, below a path', async () => {
  const place = await room({ [FILE]: 'a\n' }, [[insert(1, 'b'), end]], { server: { base: '/rooms', pollTime: 100 } });
  const { host } = place;
  // It is told to, or has no other way.
  for (const [args, hasForm] of [[['--login', 'url'], true], [['--login', 'auto'], false]]) {
    place.relay.hasForm = hasForm;
    const program = oct(place, ...args);
    const { url } = await program.expect('login');
    const isPoll = ({ path }) => path === `/api/login/poll/${new URL(url).searchParams.get('token')}`;
    await until('it has asked twice', () => place.relay.requests.filter(isPoll).length === 2);
    place.relay.openPage(url, 'mimi');
    // It is called as the server calls it.
    const { peerId: id } = await program.find('joined', ({ type, name }) => type === 'joined' && name === 'mimi');
    await until('it has asked for the file', () => host.opened.some(({ from }) => from === id));
    await arrived(host, id);
    if (!hasForm) await host.type('@agent Not you.\n@mimi Go.\n');
    if (!hasForm) await program.find('done');
    await ends(place, program);
  }
  await holds(place, 'b\na\n@agent Not you.\n@mimi Go.\n');
});

test('a URL with a slash at its end; a later version that is compatible', async () => {
  const place = await room({ [FILE]: 'a\n' }, undefined, { server: { base: '/rooms', version: '0.3.99' } });
  const program = start('--server', `${place.relay.url}/`, '--room', place.host.room, ...place.service.args);
  await program.find('joined');
  await ends(place, program);
});

test('https, and the assistant of --local', async () => {
  const tls = certificate();
  const { relay, host } = await room({ [FILE]: 'a\n' });
  const url = await relay.overTls(tls);
  const place = { relay: { url }, host, service: { args: ['--local', '--cacert', tls.file], violations: '' } };
  const { program } = await joined(place);
  await host.type('@agent Say hi.\n');
  await program.find('message');
  await program.find('done', ({ type, edits, calls }) => type === 'done' && edits === 0 && calls === 0);
  assert.equal(host.text(), 'a\n@agent Say hi.\n');
  await ends(place, program);
  await start('--server', url, '--room', host.room, '--local').fails(4, /certificate/);
});

// What the server answers in the place of its own, and what comes of it. Texts of others come cleaned.
const answering = (begin, status, body) => async ({ path }) => (path.startsWith(begin) ? { status, body } : undefined);
const told = (code, message) => ({ code, params: [], message });
const refused = (code, message) => ({ ...told(code, message), failure: true });
const speaks = (version, transport = 'socket.io') => ({ owner: 'of a test', version, transports: [transport] });
for (const [what, answer, code, error] of [
  ['the server knows us not', answering('/api/session/join', 403, 'Forbidden \u001b[31mresource'), 3, /Forbidden/],
  ['the room is not there', answering('/api/session/join', 404, told('RoomNotFound', 'Room not found')), 4, /Room not found/],
  ['the host refuses, in colours', answering('/api/session/poll', 200,
    refused('JoinRejected', 'No\u001b[2J\u0007 way,\r\n\u009b31m\u202Ereally')), 4, /No.* way/],
  ['a refusal without an end', answering('/api/session/poll', 200, refused('JoinRejected', 'long '.repeat(10_000))), 4, /long/],
  ['the host thinks for too long', answering('/api/session/poll', 200, refused('JoinTimeout', 'timed out')), 4, /timed out/],
  ['the login takes too long', answering('/api/login/poll', 400, told('AuthTimeout', 'Authentication timed out')), 3, /timed out/],
  ['the form is refused', answering('/api/login/simple', 400, 'Failed'), undefined, /./],
  ['a version that is not compatible', answering('/api/meta', 200, speaks('0.4.0')), 6, /0\.4\.0/],
  ['no transport that it knows', answering('/api/meta', 200, speaks('0.3.1', 'smoke')), 6, /./],
  ['a page in the place of an answer', answering('/api/login/initial', 200, '<html></html>'), 6, /./],
  ['an answer of another form', answering('/api/session/join', 200, { pollToken: 5 }), 6, /./],
  ['an error of the server', answering('/api/session/join', 500, 'An internal server error occurred'), 6, /internal server error/],
]) {
  test(`no way in: ${what}`, async () => {
    const place = await room({ [FILE]: 'a\n' });
    place.relay.answer = answer;
    const program = oct(place);
    if (code === undefined) assert.notEqual((await program.ended).code, 0);
    else await program.fails(code, error);
    const texts = [...program.all.flatMap((line) => Object.values(line)).map(String), program.errors.slice(0, -1)];
    for (const text of texts) {
      assert.doesNotMatch(text, /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
      assert(text.length < 700, `a text of ${text.length} characters`);
    }
    assert.equal(ofType(program, 'joined').length, 0);
  });
}

test('no way in: the host says no, or nothing; there is no such room', async () => {
  const place = await room({ [FILE]: 'a\n' });
  const { host, relay, service } = place;
  host.decide = async () => false;
  await oct(place).fails(4, /rejected/);
  host.decide = () => new Promise(() => {});
  relay.joinTime = 300;
  await oct(place).fails(4, /timed out/);
  await start('--server', relay.url, '--room', 'nowhere', ...service.args).fails(4, /not found/);
  assert.deepEqual(host.joined, []);
});

test('no way in: nobody listens', async () => {
  const place = await room({ [FILE]: 'a\n' });
  place.relay.isAway = true;
  await oct(place).fails(4, /unavailable/);
});

test('no way in: without a room, with another mode', async () => {
  for (const args of [[], ['--room', 'x', '--mode', 'guess'], ['--room', 'x', '--server', 'ftp://127.0.0.1/']]) {
    await start('--server', 'http://127.0.0.1:9', ...args).exit(2);
  }
});
