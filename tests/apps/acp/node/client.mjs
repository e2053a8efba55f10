// An editor over the client library of the protocol, which checks every message against its schema:
// edits a file with approval, runs a command in the editor's terminal, is cancelled, is killed, is
// loaded again and goes on; then it uses a tool of a server over HTTP with approval.
//   node client.mjs CURSOR_CHAT URL FOLDER SERVER_URL
import * as acp from '@agentclientprotocol/sdk';
import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Readable, Writable} from 'node:stream';

const [program, url, folder, serverUrl] = process.argv.slice(2);
const file = join(folder, 'a.txt');

// Starts the agent, and calls `work` with the connection and what the agent has said.
async function withAgent(work) {
  const child = spawn(program, ['acp', '--endpoint', url, '--sandbox', 'off', '--state', join(folder, '../state')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve({code, signal})));
  const updates = [];
  const waiters = [];
  const questions = [];
  const buffers = new Map();
  const terminals = new Map();
  const app = acp
    .client({name: 'test-editor'})
    .onNotification(acp.methods.client.session.update, ({params}) => {
      updates.push(params.update);
      for (const waiter of waiters) waiter();
    })
    .onRequest(acp.methods.client.session.requestPermission, ({params}) => {
      questions.push(params);
      return {outcome: {outcome: 'selected', optionId: params.options[0].optionId}};
    })
    .onRequest(acp.methods.client.fs.readTextFile, ({params}) => ({
      content: buffers.get(params.path) ?? readFileSync(params.path, 'utf8'),
    }))
    .onRequest(acp.methods.client.fs.writeTextFile, ({params}) => {
      writeFileSync(params.path, params.content);
      return {};
    })
    .onRequest(acp.methods.client.terminal.create, ({params}) => {
      const output = execFileSync(params.command, params.args, {cwd: params.cwd, encoding: 'utf8'});
      terminals.set('t1', {output, released: false});
      return {terminalId: 't1'};
    })
    .onRequest(acp.methods.client.terminal.waitForExit, () => ({exitCode: 0}))
    .onRequest(acp.methods.client.terminal.output, ({params}) => ({
      output: terminals.get(params.terminalId).output,
      truncated: false,
    }))
    .onRequest(acp.methods.client.terminal.release, ({params}) => {
      terminals.get(params.terminalId).released = true;
      return {};
    });
  const until = (fits) =>
    new Promise((resolve) => {
      const look = () => fits(updates) && resolve();
      waiters.push(look);
      look();
    });
  const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
  const connected = app.connectWith(stream, async (context) => {
    const initialized = await context.request(acp.methods.agent.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientInfo: {name: 'test-editor', version: '1'},
      clientCapabilities: {fs: {readTextFile: true, writeTextFile: true}, terminal: true},
    });
    assert.equal(initialized.protocolVersion, 1);
    await work({initialized, context, child, updates, questions, buffers, terminals, until});
  });
  await connected.catch((error) => {
    if (!child.killed) throw error; // the connection of an agent that was killed is lost
  });
  if (child.exitCode === null && child.signalCode === null) child.stdin.end();
  return ended;
}

const text = (updates) =>
  updates
    .filter((update) => update.sessionUpdate === 'agent_message_chunk')
    .map((update) => update.content.text)
    .join('');
const prompt = (context, sessionId, words) =>
  context.request(acp.methods.agent.session.prompt, {sessionId, prompt: [{type: 'text', text: words}]});

writeFileSync(file, 'broken\n');
let sessionId;
const killed = await withAgent(async ({context, child, updates, questions, terminals, until}) => {
  const opened = await context.request(acp.methods.agent.session.new, {cwd: folder, mcpServers: []});
  sessionId = opened.sessionId;
  assert.equal(opened.modes.currentModeId, 'agent');
  assert.ok(opened.configOptions.some((option) => option.id === 'model'));

  const done = await prompt(context, sessionId, 'fix it');
  assert.equal(done.stopReason, 'end_turn');
  assert.equal(text(updates), 'First the file.Done.');
  assert.equal(readFileSync(file, 'utf8'), 'fixed\n');
  assert.equal(questions.length, 2);
  assert.equal(questions[0].toolCall.toolCallId, 'edit-1');
  assert.deepEqual(questions[0].toolCall.content, [
    {type: 'diff', path: file, oldText: 'broken\n', newText: 'fixed\n'},
  ]);
  assert.equal(questions[1].toolCall.kind, 'execute');
  assert.equal(terminals.get('t1').released, true);

  await context.request(acp.methods.agent.session.setMode, {sessionId, modeId: 'ask'});
  await until((all) => all.some((update) => update.sessionUpdate === 'current_mode_update'));
  const options = await context.request(acp.methods.agent.session.setConfigOption, {
    sessionId,
    configId: 'mode',
    value: 'agent',
  });
  assert.equal(options.configOptions[0].currentValue, 'agent');

  const waiting = prompt(context, sessionId, 'wait');
  await until((all) => text(all).endsWith('Waiting.'));
  await context.notify(acp.methods.agent.session.cancel, {sessionId});
  assert.equal((await waiting).stopReason, 'cancelled');

  const cut = assert.rejects(prompt(context, sessionId, 'wait'));
  await until((all) => text(all).endsWith('Waiting.Waiting.'));
  child.kill('SIGKILL');
  await cut;
});
assert.equal(killed.signal, 'SIGKILL');

const ended = await withAgent(async ({context, updates, buffers}) => {
  await assert.rejects(
    context.request(acp.methods.agent.session.load, {sessionId: 'none', cwd: folder, mcpServers: []}),
    (error) => error.code === -32002,
  );
  const list = await context.request(acp.methods.agent.session.list, {cwd: folder});
  assert.deepEqual(
    list.sessions.map((session) => [session.sessionId, session.title]),
    [[sessionId, 'fix it']],
  );
  await context.request(acp.methods.agent.session.load, {sessionId, cwd: folder, mcpServers: []});
  const said = updates.filter((update) => update.sessionUpdate === 'user_message_chunk');
  assert.deepEqual(said.map((update) => update.content.text), ['fix it', 'wait']); // the one that was cancelled
  buffers.set(file, 'not saved\n');
  assert.equal((await prompt(context, sessionId, 'and now?')).stopReason, 'end_turn');
  assert.ok(text(updates).endsWith('Again.'));
  await context.request(acp.methods.agent.session.delete, {sessionId});
});
assert.deepEqual(ended, {code: 0, signal: null});

const served = await withAgent(async ({initialized, context, updates, questions}) => {
  assert.equal(initialized.agentCapabilities.mcpCapabilities.http, true);
  const {sessionId} = await context.request(acp.methods.agent.session.new, {
    cwd: folder,
    mcpServers: [
      {type: 'http', name: 'everything', url: serverUrl, headers: [{name: 'X-Any', value: 'any'}]},
    ],
  });
  assert.equal((await prompt(context, sessionId, 'add them')).stopReason, 'end_turn');
  assert.equal(text(updates), 'It is 42.');
  assert.equal(questions.length, 1);
  const {toolCall, options} = questions[0];
  assert.equal(toolCall.title, 'everything: get-sum');
  assert.deepEqual(JSON.parse(toolCall.content[0].content.text.replaceAll('```', '')), {a: 2, b: 40});
  assert.deepEqual(options.map((option) => option.kind), ['allow_once', 'allow_always', 'reject_once']);
  const shown = updates.filter((update) => update.toolCallId === toolCall.toolCallId);
  assert.equal(shown[0].sessionUpdate, 'tool_call');
  assert.equal(shown.at(-1).status, 'completed');
  await context.request(acp.methods.agent.session.close, {sessionId});
});
assert.deepEqual(served, {code: 0, signal: null});
console.log('the client library of the protocol is content');
