// cursor-collab oct: what a person asks for in a file.   node oct.mjs CURSOR_COLLAB LOCAL_UPSTREAM
import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import test from 'node:test';
import { until } from './peers.mjs';
import {
  arrived, at, call, done, end, ends, FILE, guest, holds, insert, joined, oct, ofType, prompted, read, refuses, remove, replace, room, says,
} from './setting.mjs';

test('joins, is asked, edits, and tells of it', async () => {
  const place = await room({ [FILE]: 'function add(a, b) {\n  return a + b;\n}\n' }, [[
    ...['get_line_range', 'replace_lines', 'insert_at_line', 'delete_lines', 'search_code'].map((tool_name) => (
      { expect_request: { mcp_tools: { mcp_tools: { $contains: { tool_name, provider_identifier: 'oct' } } } } })),
    prompted({ $contains: 'Make it subtract.' }),
    prompted({ $contains: '2:   return a + b;' }),
    prompted({ $contains: FILE }),
    read(1, 3, says({ $contains: '2:   return a + b;' })),
    replace(2, 2, '  return a - b;'),
    { text: 'It subtracts now.' },
    end,
  ]]);
  const { host } = place;
  let decide;
  host.decide = () => new Promise((done) => (decide = done));
  const program = oct(place);
  const status = await program.expect('status', { code: 'WaitingForHost' });
  assert.match(status.message, /host/);
  await until('the host is asked', () => decide !== undefined);
  assert.deepEqual(host.asked.map(({ name, email }) => [name, email]), [['agent', '']]);
  decide(true);
  const { peerId: id } = await program.expect('joined', { room: host.room, name: 'agent', host: 'Hanna' });
  assert.equal(id, place.relay.peer('agent').id);
  await program.expect('active', { path: FILE });
  await until('it has asked for the file', () => host.opened.length === 1);
  assert.deepEqual(host.opened, [{ from: id, path: FILE }]);
  await arrived(host, id);

  await host.type('// @agent Make it subtract.\n');
  const prompt = await program.expect('prompt', { path: FILE, line: 4, text: 'Make it subtract.' });
  await program.expect('tool', { id: prompt.id, name: 'get_line_range', ok: true });
  const tool = await program.find('the edit', ({ type, name }) => type === 'tool' && name === 'replace_lines');
  assert.deepEqual([tool.id, tool.ok], [prompt.id, true]);
  await program.find('message', ({ type, text }) => type === 'message' && text === 'It subtracts now.');
  await program.expect('done', { id: prompt.id, edits: 1, calls: 2 });
  const [edit] = ofType(program, 'edit');
  assert.deepEqual([edit.id, edit.start_line, edit.end_line], [prompt.id, 2, 2]);
  await holds(place, 'function add(a, b) {\n  return a - b;\n}\n// @agent Make it subtract.\n');
  await until('it has reported', () => host.chats.length > 0);
  assert.equal(host.chats.length, 1);
  assert.equal(host.chats[0].from, id);
  assert.match(host.chats[0].text, /^agent: done, 1 edit/);
  assert.equal(host.stateOf(id).selection.path, FILE);
  await ends(place, program);

  // How it came: one WebSocket, with a key of its own.
  const { headers } = place.relay.peer('agent');
  assert.match(headers['x-oct-client'], /^cursorwire\/\d/);
  assert.equal(headers['x-oct-compression'], 'none');
  const key = createPublicKey({ key: Buffer.from(headers['x-oct-public-key'], 'base64'), format: 'der', type: 'spki' });
  assert.equal(key.asymmetricKeyDetails.modulusLength, 4096);
  const own = place.relay.upgrades.filter(({ headers }) => headers['x-oct-client'].startsWith('cursorwire/'));
  assert.equal(own.length, 1);
  assert.match(own[0].url, /^\/socket\.io\/\?(?=.*\bEIO=4\b)(?=.*\btransport=websocket\b)(?!.*\bsid=)/);
});

test('all tools, in one run: whole lines, in the order of the calls', async () => {
  const text = 'a\nb\nc\nd\nb';
  const place = await room({ [FILE]: text }, [[
    call('search_code', { pattern: 'b' }, says({ $json: [{ line: 2, content: 'b' }, { line: 6, content: 'b' }] })),
    call('search_code', { pattern: 'nothing' }, says({ $json: [] })),
    replace(2, 2, 'B'),
    insert(3, 'one\n'),
    insert(3, 'two'),
    remove(4, 4),
    insert(7, 'last'),
    replace('1', 1.0, 'A1\r\nA2'),
    read(99, 99, refuses({ $contains: 'Document has 6 lines.' })),
    end,
  ]]);
  const { program } = await joined(place);
  await place.host.type('@agent x\n', 'b\n');
  // The lines are a, b, @agent x, c, d, b; the last one has no newline.
  await program.find('failed or done', ({ type }) => type === 'done' || type === 'failed');
  assert.equal(program.all.at(-1).type, 'done', program.all.at(-1).message);
  await holds(place, 'A1\nA2\nB\none\ntwo\n@agent x\nd\nb\nlast');
  await ends(place, program);
});

test('the host edits between a read and a replacement', async () => {
  const place = await room({ [FILE]: 'one\ntwo\nthree\n' }, [[
    read(2, 2, says({ $contains: '2: two' })),
    replace(2, 2, 'TWO', refuses({ $contains: 'two and a half' }), at('replace')),
    replace(2, 2, 'TWO'),
    replace(3, 3, 'THREE'),
    end,
  ]]);
  const { host, service } = place;
  const { program, id } = await joined(place);
  const stop = service.stopAt('stop-replace');
  await host.type('@agent Louder.\n');
  await stop.reached;
  await host.replace('two', 'two and a half');
  // Lines that come above shift nothing.
  await host.edit(0, 0, 'zero\n');
  await arrived(host, id);
  stop.open();
  await program.find('done', ({ type, edits, calls }) => type === 'done' && edits === 2 && calls === 4);
  await holds(place, 'zero\none\nTWO\nTHREE\n@agent Louder.\n');
  await ends(place, program);
});

test('people edit elsewhere while it edits', async () => {
  const lines = Array.from({ length: 40 }, (_, n) => `line ${n + 1}`);
  const place = await room({ [FILE]: `${lines.join('\n')}\n` }, [[
    ...Array.from({ length: 20 }, (_, n) => replace(2 * n + 1, 2 * n + 1, `LINE ${2 * n + 1}`)),
    end,
  ]]);
  const { host } = place;
  const { program } = await joined(place);
  await host.type('@agent Louder.\n');
  for (let n = 2; n <= 40; n += 2) await host.replace(`line ${n}\n`, `line ${n}, by hand\n`);
  await program.find('done', ({ type, edits }) => type === 'done' && edits === 20);
  await holds(place, `${lines.map((line, n) => (n % 2 === 0 ? line.toUpperCase() : `${line}, by hand`)).join('\n')}\n@agent Louder.\n`);
  await ends(place, program);
});

test('prompts wait for each other', async () => {
  const place = await room({ [FILE]: 'text\n' }, [
    [prompted({ $contains: 'First.' }), insert(1, 'first', done, at('first')), end],
    [prompted({ $contains: 'Third.' }), insert(1, 'third'), end],
  ]);
  const { host, service } = place;
  const { program, id } = await joined(place);
  const stop = service.stopAt('stop-first');
  await host.type('@agent First.\n@agent Second.\n@agent Third.\n');
  await stop.reached;
  // Nobody wants that any more.
  await host.replace('@agent Second.\n', '');
  await arrived(host, id);
  assert.deepEqual(ofType(program, 'done'), []);
  stop.open();
  const first = await program.find('done');
  const second = await program.find('skipped');
  const third = await program.find('done');
  assert.equal(new Set([first.id, second.id, third.id]).size, 3);
  await holds(place, 'third\nfirst\ntext\n@agent First.\n@agent Third.\n');
  await ends(place, program);
});

test('what it writes itself is no prompt, also when the host sends it back', async () => {
  const place = await room({ [FILE]: 'text\n' }, [
    [prompted({ $contains: 'First.' }), insert(1, '@agent Again.\n@agent And again.'), end],
    [prompted({ $contains: 'Second.' }), end],
  ]);
  const { host } = place;
  const { program, id } = await joined(place);
  await host.type('@agent First.\n');
  await program.find('done');
  await holds(place, '@agent Again.\n@agent And again.\ntext\n@agent First.\n');
  await arrived(host, id);
  await host.type('@agent Second.\n');
  await program.find('done');
  await arrived(host, id);
  assert.deepEqual(ofType(program, 'prompt').map(({ text }) => text), ['First.', 'Second.']);
  await ends(place, program);
});

test('what is a prompt', async () => {
  const place = await room({ [FILE]: '' });
  const { host } = place;
  const { program, id } = await joined(place);
  // In a file that was empty; with the blanks that an editor puts in front of the next line; pasted, with a mark
  // of the end of a comment.
  await host.type('# @agent: One.\n');
  await program.expect('prompt', { line: 1, text: 'One.' });
  await program.find('done');
  await host.type(['@', 'agent Two.', '\n    ']);
  await program.expect('prompt', { line: 2, text: 'Two.' });
  await program.find('done');
  await host.edit(0, 0, '/* @agent Three. */\n');
  await program.expect('prompt', { line: 1, text: 'Three.' });
  await program.find('done');
  // None: others, nothing asked for, no new line.
  await host.type('\n@agent2 a\n@Agent b\nme@agent.com\n@agent\n@agent last');
  await arrived(host, id);
  assert.equal(ofType(program, 'prompt').length, 3);
  await ends(place, program);
});

test('the host looks at another file in the middle of a run', async () => {
  const place = await room({ [FILE]: 'one\n', 'demo/größe 世界.md': 'uno\r\ndos\r\n' }, [
    [insert(1, 'ONE', done, at('insert')), end],
    [prompted({ $contains: 'größe 世界.md' }), replace(2, 2, 'DOS'), end],
  ]);
  const { host, service } = place;
  const { program, id } = await joined(place);
  const stop = service.stopAt('stop-insert');
  await host.type('@agent First.\n');
  await stop.reached;
  await host.show('demo/größe 世界.md');
  await program.find('active', ({ type, path }) => type === 'active' && path === host.path);
  await until('it has asked for the file', () => host.opened.some(({ path }) => path === host.path));
  await arrived(host, id);
  // This one waits, and counts in the file that is looked at now.
  await host.type('@agent Second.\n');
  stop.open();
  await program.find('done');
  await holds(place, 'ONE\none\n@agent First.\n', FILE);
  await program.find('done');
  await holds(place, 'uno\nDOS\n@agent Second.\n');
  assert.equal(host.shown(), 'uno\r\nDOS\r\n@agent Second.\n');
  await ends(place, program);
});

test('texts that are there at once, and a host who is seen before it is known', async () => {
  const place = await room({ [FILE]: 'x\n' }, [[replace(1, 1, 'y'), end]], { host: { isEager: true } });
  const { host } = place;
  host.beforeInit = async () => {
    const before = place.relay.messages.length;
    await host.look(1);
    await until('it is on its way', () => place.relay.messages.length > before);
  };
  const { program } = await joined(place);
  await host.type('@agent Go.\n');
  await program.find('done');
  await holds(place, 'y\n@agent Go.\n');
  await ends(place, program);
});

test('others see where it is', async () => {
  const place = await room({ [FILE]: 'one\ntwo\n' }, [[insert(1, 'zero', done, at('insert')), end]]);
  const { host, service } = place;
  const { program, id } = await joined(place);
  const stop = service.stopAt('stop-insert');
  await host.type('@agent Go.\n', 'one\n');
  await stop.reached;
  const line = () => host.text().slice(0, host.caretOf(id)).split('\n').length;
  await until('its caret is at the prompt', () => host.caretOf(id) !== undefined && line() === 2);
  stop.open();
  await program.find('done');
  await until('its caret is behind the edit', () => line() < 3);
  await ends(place, program);
  await until('it is not seen any more', () => host.stateOf(id) === undefined);
});

test('a guest comes in the middle of a run, asks, and goes', async () => {
  const place = await room({ [FILE]: 'text\n' }, [
    [insert(1, 'one', done, at('one')), end],
    [prompted({ $contains: 'Two.' }), insert(1, 'two'), end],
    [prompted({ $contains: 'Three.' }), insert(1, 'three'), end],
  ]);
  const { host, service } = place;
  const { program, id } = await joined(place);
  const stop = service.stopAt('stop-one');
  await host.type('@agent One.\n');
  await stop.reached;
  const ben = await guest(place, 'Ben');
  await ben.show(FILE);
  await arrived(host, id);
  stop.open();
  await program.find('done');
  await until('Ben has it', () => ben.text() === 'one\ntext\n@agent One.\n');
  await until('Ben is told', () => ben.chats.length === 1);
  await ben.type('@agent Two.\n');
  await program.find('done');
  await until('Ben has it', () => ben.text() === 'two\none\ntext\n@agent One.\n@agent Two.\n');
  await ben.leave();
  await until('he is gone', () => host.left.length === 1);
  await host.type('@agent Three.\n');
  await program.find('done');
  await holds(place, 'three\ntwo\none\ntext\n@agent One.\n@agent Two.\n@agent Three.\n');
  await ends(place, program);
});

test('the prompt is deleted before the first edit', async () => {
  const place = await room({ [FILE]: 'text\n' }, [
    [{ text: 'Let me see.' }, { expect_cancel: {} }],
    [prompted({ $contains: 'Second.' }), insert(1, 'yes'), end],
  ]);
  const { host } = place;
  const { program } = await joined(place);
  await host.type('@agent First.\n');
  await program.find('prompt');
  await host.replace('@agent First.\n', '');
  const { type } = await program.find('its end', ({ type }) => type === 'failed' || type === 'skipped' || type === 'done');
  assert.notEqual(type, 'done');
  await host.type('@agent Second.\n');
  await program.find('done');
  await holds(place, 'yes\ntext\n@agent Second.\n');
  await ends(place, program);
});

test('--remove-prompt, --name, --email, --report none', async () => {
  const place = await room({ [FILE]: 'one\n@robo Not this.\n' }, [[insert(1, 'zero'), end], [end]]);
  const { host } = place;
  const { program, id } = await joined(place, '--remove-prompt', '--name', 'robo', '--email', 'r@example.com', '--report', 'none');
  assert.deepEqual(host.asked.map(({ name, email }) => [name, email]), [['robo', 'r@example.com']]);
  await host.type('@robo Go.\n');
  await program.find('done');
  await holds(place, 'zero\none\n@robo Not this.\n');
  // A run that changed nothing keeps it.
  await host.type('@robo Nothing.\n');
  await program.find('done', ({ type, edits }) => type === 'done' && edits === 0);
  await arrived(host, id);
  await holds(place, 'zero\none\n@robo Not this.\n@robo Nothing.\n');
  assert.deepEqual(host.chats, []);
  await ends(place, program);
});

test('--max-calls', async () => {
  const third = insert(1, '3', refuses({ $contains: 'limit reached' }));
  const place = await room({ [FILE]: 'a\n' }, [[insert(1, '1'), insert(1, '2'), third, end]]);
  const { program } = await joined(place, '--max-calls', '2');
  await place.host.type('@agent Go.\n');
  await program.find('done');
  await holds(place, '1\n2\na\n@agent Go.\n');
  await ends(place, program);
});

test('--timeout', async () => {
  const place = await room({ [FILE]: 'a\n' }, [[{ text: 'Let me think.' }, { expect_cancel: {} }]]);
  const { host } = place;
  const { program } = await joined(place, '--timeout', '1');
  await host.type('@agent Go.\n');
  await program.find('failed', ({ type, code }) => type === 'failed' && code === 'deadline_exceeded');
  await holds(place, 'a\n@agent Go.\n');
  await ends(place, program);
});

test('what else the service asks for is refused', async () => {
  const place = await room({ [FILE]: 'a\n' }, [[
    { exec: { read_args: { path: '/etc/hostname' } } },
    { exec: { write_args: { path: '/tmp/x', file_text: 'x' } } },
    { call_tool: { name: 'run', arguments: {}, provider_identifier: 'other' } },
    insert(1, 'b'),
    end,
  ]]);
  const { program } = await joined(place);
  await place.host.type('@agent Go.\n');
  await program.find('done', ({ type, edits }) => type === 'done' && edits === 1);
  await holds(place, 'b\na\n@agent Go.\n');
  await ends(place, program);
});

test('the service fails, and it goes on', async () => {
  const place = await room({ [FILE]: 'a\n' }, [
    [insert(1, 'b'), { error: { code: 'resource_exhausted' } }],
    [insert(1, 'c'), end],
    [{ error: { code: 'unauthenticated' } }],
  ]);
  const { host } = place;
  const { program } = await joined(place);
  await host.type('@agent One.\n');
  await program.find('failed', ({ type, code }) => type === 'failed' && code === 'resource_exhausted');
  await until('it has reported', () => host.chats.some(({ text }) => text === 'agent: failed: resource_exhausted'));
  await host.type('@agent Two.\n');
  await program.find('done');
  await holds(place, 'c\nb\na\n@agent One.\n@agent Two.\n');
  // Without an account it is of no use.
  await host.type('@agent Three.\n');
  await program.find('failed', ({ type, code }) => type === 'failed' && code === 'unauthenticated');
  await program.fails(3, /unauthenticated/);
  await until('it has left', () => host.left.length === 1);
});

test('--once', async () => {
  const place = await room({ [FILE]: 'a\n' }, [[insert(1, 'b'), end], [{ error: { code: 'resource_exhausted' } }]]);
  const { host } = place;
  const first = (await joined(place, '--once')).program;
  await host.type('@agent Go.\n');
  await first.find('done');
  await first.exit(0);
  await holds(place, 'b\na\n@agent Go.\n');
  await until('it has left', () => host.left.length === 1);
  assert.equal(place.relay.peer('agent').end, 'it left');
  const second = (await joined(place, '--once')).program;
  await host.type('@agent Go.\n');
  await second.find('failed');
  await second.exit(7);
  await until('it has left', () => host.left.length === 2);
});

for (const mode of ['regions', 'tools']) {
  test(`an answer in regions, --mode ${mode}`, async () => {
    const function_of = (name) => `function ${name}() {\n  return 1;\n}\n`;
    const region = (name) => function_of(name).replace('1', '2');
    const place = await room({ [FILE]: ['a', 'b', 'c'].map(function_of).join('') }, [[
      prompted({ $contains: 'Return two.' }),
      { text: `\`\`\`js\n${region('a')}==========\n` },
      { text: `${region('c')}\`\`\`\n` },
      end,
    ]]);
    const { host } = place;
    const { program } = await joined(place, '--mode', mode);
    await host.type('// @agent Return two.\n');
    await program.find('done', ({ type, edits, calls }) => type === 'done' && edits === 2 && calls === 0);
    assert.equal(ofType(program, 'edit').length, 2);
    await holds(place, `${region('a')}${function_of('b')}${region('c')}// @agent Return two.\n`);
    await ends(place, program);
  });
}

test('regions that stand nowhere, or were changed meanwhile', async () => {
  const lines = Array.from({ length: 30 }, (_, n) => `line ${n}`);
  const place = await room({ [FILE]: `${lines.join('\n')}\n` }, [
    [{ text: 'Something else.\n' }, end],
    [{ text: 'line 2\nLINE 3\nline 4\n' }, { text: '==========\nline 6\nLINE 7\nline 8\n==========\nstop-end\n' }, end],
  ]);
  const { host, service } = place;
  const { program, id } = await joined(place, '--mode', 'regions');
  await host.type('@agent One.\n');
  const skipped = await program.find('skipped');
  assert.match(skipped.reason, /no context/);
  await program.find('done', ({ type, edits }) => type === 'done' && edits === 0);
  await until('it has reported', () => host.chats.length === 1);
  assert.match(host.chats[0].text, /^agent: could not apply: no context/);
  assert(!host.chats[0].text.includes('Something else'));

  const stop = service.stopAt('stop-end');
  await host.type('@agent Two.\n');
  await stop.reached;
  await host.replace('line 3\n', 'line 3, by hand\n');
  await arrived(host, id);
  stop.open();
  const reasons = [(await program.find('skipped')).reason, (await program.find('skipped')).reason];
  assert.match(reasons.join(), /changed meanwhile/);
  assert.match(reasons.join(), /no context/);
  await program.find('done', ({ type, edits }) => type === 'done' && edits === 1);
  const text = `${lines.join('\n')}\n@agent One.\n@agent Two.\n`;
  await holds(place, text.replace('line 3\n', 'line 3, by hand\n').replace('line 7\n', 'LINE 7\n'));
  await ends(place, program);
});

test('the session is for reading alone', async () => {
  const scripts = [[insert(1, 'b'), { expect_cancel: {} }], [insert(1, 'c'), end]];
  const place = await room({ [FILE]: 'a\n' }, scripts, { host: { readonly: true } });
  const { host } = place;
  const { program, id } = await joined(place);
  await host.type('@agent Zero.\n');
  assert.equal((await program.find('skipped')).reason, 'read-only session');
  assert.equal(host.text(), 'a\n@agent Zero.\n');
  await host.setReadonly(false);
  await host.type('@agent One.\n');
  await holds(place, 'b\na\n@agent Zero.\n@agent One.\n');
  // In the middle of a run.
  await host.setReadonly(true);
  await program.find('failed');
  await host.setReadonly(false);
  await arrived(host, id);
  await host.type('@agent Two.\n');
  await program.find('done');
  await holds(place, 'c\nb\na\n@agent Zero.\n@agent One.\n@agent Two.\n');
  await ends(place, program);
});

