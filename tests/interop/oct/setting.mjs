// What the tests of cursor-collab oct share: the program in a room, and steps of scripts.
import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import { Guest, Host } from './host.mjs';
import { cleanUp, Program, until } from './peers.mjs';
import { Relay } from './relay.mjs';
import { Service } from './service.mjs';

const [collab, upstream] = process.argv.slice(2);
const TOKEN = 'a-token-of-this-test';
export const FILE = 'demo/src/add.js';

// What a test has made.
const relays = [];
const people = [];
const services = [];
const programs = [];
// What the packages could not read they say there.
const complaints = [];
console.error = (...words) => complaints.push(words.map(String).join(' '));

afterEach(async () => {
  for (const person of people.splice(0).reverse()) if (!person.hasLeft) person.stop();
  await cleanUp();
  for (const service of services.splice(0)) service.end();
  const [relay] = relays.splice(0);
  await relay?.stop();
  const { secrets = [], logins = new Map(), dropped = [] } = relay ?? {};
  // Nobody reads a token or a key in what it writes. Only the page for a login is known by one.
  for (const { all, rest = '', errors } of programs.splice(0)) {
    const written = (lines) => [...lines.map((line) => JSON.stringify(line)), rest, errors].join('\n');
    for (const secret of [TOKEN, ...secrets]) assert(!written(all).includes(secret), `it wrote ${secret.slice(0, 12)}...`);
    const others = written(all.filter(({ type }) => type !== 'login'));
    for (const token of logins.keys()) assert(!others.includes(token), 'it wrote the token of a login');
  }
  // All that it sent reached somebody, and could be read.
  assert.deepEqual(dropped.filter(({ from }) => from === 'agent'), []);
  assert.deepEqual(complaints.splice(0), []);
});

// A room with these files; the service plays these scripts, one each run.
export async function room(files, scripts = [[{ turn_ended: {} }]], settings = {}) {
  const relay = await Relay.start(settings.server);
  relays.push(relay);
  const host = await Host.open(relay, files, settings.host);
  people.push(host);
  const service = await Service.start(upstream, ...scripts);
  services.push(service);
  return { relay, host, service };
}
export async function guest({ relay, host }, name) {
  const person = await Guest.join(relay, host.room, name);
  people.push(person);
  return person;
}
export function start(...args) {
  const program = new Program(collab, ['oct', ...args], { env: { CURSOR_ACCESS_TOKEN: TOKEN } });
  programs.push(program);
  return program;
}
export const oct = ({ relay, host, service }, ...args) =>
  start('--server', relay.url, '--room', host.room, ...service.args, ...args);
// It answers requests in the order of what it gets: all that this person sent before has arrived.
export const arrived = (person, id) => assert.rejects(person.ask(id), ({ message }) => !message.includes('timed out'));
// It has the text of the file that the host looks at.
export async function joined(place, ...args) {
  const { host } = place;
  const program = oct(place, ...args);
  const { peerId: id } = await program.find('joined');
  if (host.path) {
    await program.find('active', ({ type, path }) => type === 'active' && path === host.path);
    await until('it has asked for the file', () => host.opened.some(({ from, path }) => from === id && path === host.path));
  }
  await arrived(host, id);
  return { program, id };
}
// The host has this text, and so has its editor.
export async function holds({ host }, text, path = host.path) {
  const what = () => `the text is ${JSON.stringify(text)}, it is ${JSON.stringify(host.text(path))}`;
  await until(what, () => host.text(path) === text);
  assert.equal(host.shown(path).replaceAll('\r\n', '\n'), text);
}
export const ofType = (program, type) => program.all.filter((line) => line.type === type);
// It goes when it is told to; the service has seen what it should.
export async function ends({ service }, program) {
  program.child.kill('SIGTERM');
  await program.exit(143);
  assert.equal(program.errors, '');
  assert.equal(service.violations, '');
}

// Steps of scripts.
export const call = (name, args, result, more) => ({
  call_tool: { name, arguments: args, provider_identifier: 'oct', ...more },
  expect: { mcp_result: { success: result } },
});
export const says = (text) => ({ is_error: false, content: { $contains: { text: { text } } } });
export const refuses = (text) => ({ is_error: true, content: { $contains: { text: { text } } } });
export const done = says({ $json: { success: true } });
export const replace = (first, last, text, result = done, more) =>
  call('replace_lines', { start_line: first, end_line: last, new_content: text }, result, more);
export const insert = (line, content, result = done, more) => call('insert_at_line', { line, content }, result, more);
export const remove = (first, last, result = done) => call('delete_lines', { start_line: first, end_line: last }, result);
export const read = (first, last, result, more) => call('get_line_range', { start_line: first, end_line: last }, result, more);
// A call that a test can stop at.
export const at = (name) => ({ tool_call_id: `stop-${name}` });
export const prompted = (text) => ({ expect_request: { action: { user_message_action: { user_message: { text } } } } });
export const end = { turn_ended: {} };

