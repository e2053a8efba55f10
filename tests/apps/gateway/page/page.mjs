// Uses the page of cursor-gateway as a user does.
//   page.mjs CHROMIUM CURSOR_GATEWAY LOCAL_UPSTREAM SCRIPTS
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBrowser, visit } from './browser.mjs';
import { checkModules } from './modules.mjs';
import { startProgram } from './programs.mjs';

const [chromium, gatewayProgram, upstreamProgram, scripts] = process.argv.slice(2);
const kOldFile = 'import hashlib\n\n\ndef login(name, password):\n    return users[name] == password\n';
const kNewFile = kOldFile.replace('users[name] == password', 'users.get(name) == digest(password)');
const kToken = 'a-token-of-this-test';

const scratch = mkdtempSync(join(tmpdir(), 'gateway-page-'));
const workspace = join(scratch, 'workspace');
const file = join(workspace, 'src/login.py');
mkdirSync(join(workspace, 'src'), { recursive: true });
writeFileSync(join(scratch, 'keys'), 'key-of-this-test\n', { mode: 0o600 });

let browser;
let upstream;
let gateway;
const options = () => ['--endpoint', upstream.url, '--workspace', workspace, '--allow', 'ask'];
const startGateway = (more = []) =>
  startProgram(gatewayProgram, [...options(), ...more], { CURSOR_ACCESS_TOKEN: kToken });
// Another tab of the user's browser, which shows what the user sees.
async function openTab(user, onNewDocument = () => {}) {
  const other = await user.page.browserContext().newPage();
  await other.evaluateOnNewDocument(onNewDocument);
  await other.goto(await gateway.page);  // for the key, which each tab has for itself
  await other.goto(user.page.url());
  await other.reload();
  return other;
}
const onPage = async (use, more = {}) => visit(browser, await gateway.page, more, use);

async function opensAndStreamsAnAnswer() {
  await onPage(async (user) => {
    await user.picture('start');
    assert.deepEqual(await user.page.$$eval('#model option', (nodes) => nodes.slice(0, 1).map((node) => node.value)), ['auto']);
    await user.until(() => document.querySelectorAll('#model option').length > 2);
    await user.ask('hello');
    assert.equal(await user.text('.message.user'), 'hello');
    assert.equal(await user.text('.document.text'), 'Hello, world.');
    assert.equal(await user.text('.document.text strong'), 'world');
    assert.equal(await user.text('.thinking summary'), 'Thought');
    await user.page.click('.thinking summary');
    assert.match(await user.text('.thinking'), /A greeting\. I greet back\./);
    assert.match(await user.text('.usage'), /^tokens: 1,200 in \(60 cached\), 7 out · .* · auto$/);
    assert.equal(await user.text('#status'), 'The answer is complete.');
    assert.equal(await user.text('.item[aria-current] .item-title'), 'hello');
    await user.ask('and then?');
    assert.match(await user.text('.document.text'), /Then we go on\./);
  });
}

async function showsMarkdown() {
  await onPage(async (user) => {
    await user.ask('markdown');
    const answer = '.message.agent';
    assert.equal(await user.text(`${answer} h2`), 'How it works');
    assert.equal(await user.count(`${answer} ol > li`), 3);
    assert.equal(await user.count(`${answer} ol ul > li`), 2);
    assert.equal(await user.count(`${answer} td.right`), 2);
    assert.equal(await user.count(`${answer} .task .box.completed`), 1);
    assert.equal(await user.text(`${answer} del`), 'nothing');
    assert.deepEqual(await user.page.$$eval(`${answer} a`, (links) => links.map(({ href, rel, target }) => [href, rel, target])), [
      ['https://www.rfc-editor.org/rfc/rfc9110', 'noopener noreferrer', '_blank'],
      ['https://example.com/a_b_c', 'noopener noreferrer', '_blank']]);
    assert.equal(await user.text('.code .language'), 'python');
    assert.match(await user.text(answer), /2 \* 3 \* 4, snake_case_name, 5 < 6 & 7 > 2\./);
    await user.click('Copy', '.code');
    await user.untilText('.code button', 'Copied');
    await user.picture('markdown');
  });
}

async function showsEachKindOfDocument() {
  await onPage(async (user) => {
    await user.ask('everything');
    assert.equal(await user.text('.code .language'), 'src/login.py, lines 4 to 5');
    assert.match(await user.text('.tool_call summary'), /grep.*done/s);
    assert.equal(await user.count('.tool_call details[open]'), 0);
    assert.match(await user.text('.file_edit .removed'), /return users\[name\] == password/);
    assert.match(await user.text('.file_edit .added'), /return users\.get\(name\) == digest\(password\)/);
    assert.match(await user.text('.terminal_command'), /done, 412 ms.*3 passed in 0\.04s/s);
    assert.equal(await user.count('.plan .todos li'), 2);
    assert.match(await user.text('.plan .in_progress'), /Salt the digests\s+in progress/);
    await user.page.$eval('#scroller', (box) => { box.scrollTop = 0; });
    await user.picture('documents-top');
    await user.page.$eval('#scroller', (box) => { box.scrollTop = box.scrollHeight; });
    await user.picture('documents-end');
  });
}

async function approves() {
  writeFileSync(file, kOldFile);
  await onPage(async (user) => {
    await user.send('change it');
    await user.untilText('.approval.waiting', 'May the agent change this file?');
    assert.equal(readFileSync(file, 'utf8'), kOldFile);
    assert.match(await user.text('.approval .added'), /digest\(password\)/);
    assert.match(await user.text('#status'), /asks for approval: edit_file/);
    assert.equal(await user.text('.wait'), 'The agent waits for your decision.');
    assert.match(await user.text('.item'), /waits for you/);
    assert.equal(await user.count('[data-document] .approval'), 1);
    await user.picture('approval');
    await user.click('Approve', '.approval');
    await user.untilIdle();
    assert.match(await user.text('.approval'), /You approved this\./);
    assert.match(await user.text('.document.text'), /It is changed\./);
    assert.equal(readFileSync(file, 'utf8'), kNewFile);
  });
}

// As where nobody decides for longer than the gateway waits.
async function tellsOfDecisionsThatComeTooLate() {
  await onPage(async (user) => {
    await user.send('change it');
    await user.page.waitForSelector('.approval.waiting');
    await user.page.evaluate(() => {
      const { fetch } = window;
      window.fetch = (path, options) => {
        window.fetch = fetch;
        window.question = [path, options];
        return fetch(`${path}_other`, options);
      };
    });
    await user.click('Approve', '.approval');
    await user.untilText('.approval', 'The answer was not taken: there is no such approval.');
    assert.equal(await user.count('.approval.waiting'), 0);
    await user.page.evaluate(() => fetch(...window.question));
    await user.untilIdle();
  }, { allowed: /status of 404/ });
}

// A look at another conversation while a decision is on its way.
async function sendsADecisionOnce() {
  writeFileSync(file, kOldFile);
  await onPage(async (user) => {
    await user.send('change it');
    await user.page.waitForSelector('.approval.waiting');
    await user.page.evaluate(() => {
      const { fetch } = window;
      window.decisions = 0;
      window.fetch = async (path, options) => {
        if (!path.includes('/approvals/')) return fetch(path, options);
        ++window.decisions;
        await new Promise((resolve) => { window.letGo = resolve; });
        return fetch(path, options);
      };
    });
    await user.click('Approve', '.approval');
    await user.click('New conversation', '.sidebar');
    await user.page.click('.item');
    await user.page.waitForSelector('.approval');
    assert.deepEqual(await user.page.$$eval('.approval button', (buttons) => buttons.map(({ disabled }) => disabled)), [true, true]);
    await user.page.$eval('.approval button', (button) => button.click());
    await user.page.evaluate(() => window.letGo());
    await user.untilIdle();
    assert.match(await user.text('.approval'), /You approved this\./);
    assert.equal(await user.page.evaluate(() => window.decisions), 1);
    assert.match(await user.text('.document.text'), /It is changed\./);
  });
}

async function denies() {
  await onPage(async (user) => {
    await user.send('run it');
    await user.untilText('.approval.waiting', 'May the agent run this command?');
    // What is shown is what would be done: a mark that turns the direction of text is seen.
    assert.match(await user.text('.approval .command'), /echo 1 > ran⟨U\+202E⟩; echo done/);
    await user.page.type('.approval input', 'not on this machine');
    await user.click('Deny', '.approval');
    await user.untilIdle();
    assert.match(await user.text('.approval'), /You denied this\./);
    assert.match(await user.text('.document.text'), /Then I leave it\./);
    assert(!existsSync(join(workspace, 'ran')));
  });
}

async function warnsOfFilesThatRun() {
  await onPage(async (user) => {
    await user.send('hook it');
    await user.untilText('.approval.waiting', 'May the agent create this file?');
    assert.match(await user.text('.approval'), /Other programs may run what is in it\./);
    await user.click('Deny', '.approval');
    await user.untilIdle();
    assert.match(await user.text('.document.text'), /No hook\./);
  });
}

async function putsAnAnswerToAQuestion() {
  await onPage(async (user) => {
    await user.ask('which city?');
    assert.match(await user.text('.clarification'), /Where\?\s+Which city\?/);
    await user.picture('question');
    await user.click('Oslo', '.clarification');
    await user.page.keyboard.press('Enter');
    await user.untilText('.document.text', 'Then Oslo it is.');
  });
}

async function asksInAModeAndOfAModel() {
  await onPage(async (user) => {
    await user.until(() => [...document.querySelectorAll('#model option')].some(({ value }) => value === 'acme-5.5'));
    await user.page.select('#mode', 'plan');
    await user.page.select('#model', 'acme-5.5');
    await user.ask('plan it');
    assert.match(await user.text('.plan'), /Stronger login\s+Digests\.\s+Salt them\./);
    assert.match(await user.text('.usage'), / · acme-5\.5, plan$/);
    await user.page.reload();
    assert.deepEqual(await user.page.$$eval('select', (nodes) => nodes.map(({ value }) => value)), ['plan', 'acme-5.5']);
  });
}

// Two tabs of a browser have the same conversations.
async function showsWhatAnotherTabHasSaid() {
  await onPage(async (user) => {
    await user.ask('hello');
    const other = await openTab(user);
    await other.waitForFunction(() => document.querySelector('.document.text')?.innerText === 'Hello, world.');
    await user.page.bringToFront();
    await user.ask('and then?');
    await other.waitForFunction(() => document.querySelector('#transcript').innerText.includes('Then we go on.'),
                                { polling: 'mutation' });
  });
}

// A tab must not take the answer of another for one that was broken off, nor write over it.
async function leavesAnAnswerToTheTabThatAsked() {
  writeFileSync(file, kOldFile);
  await onPage(async (user) => {
    await user.send('change it');
    await user.page.waitForSelector('.approval.waiting');
    const other = await openTab(user);
    await other.waitForSelector('.approval');
    const isBusy = () => document.querySelector('#send').hidden && document.querySelector('#stop').hidden;
    assert(await other.evaluate(isBusy));
    assert.equal(await other.evaluate(() => document.querySelector('.end').innerText), '');
    // It may write other things: a new title.
    await other.click('#rename');
    await other.waitForSelector('#dialog[open]');
    await other.$eval('#dialog-field', (field) => { field.value = 'Renamed'; });
    await other.keyboard.press('Enter');
    await user.page.bringToFront();
    await user.untilText('#title', 'Renamed');
    await user.click('Approve', '.approval');
    await user.untilIdle();
    for (const page of [user.page, other]) {
      await page.waitForFunction(() => document.querySelector('#transcript').innerText.includes('It is changed.') &&
        !document.querySelector('#send').hidden);
      assert.equal(await page.$eval('#title', (title) => title.innerText), 'Renamed');
    }
    await other.bringToFront();
    await other.type('#prompt', 'and then?');
    await other.keyboard.press('Enter');
    await user.untilText('.document.text', 'Then we go on.');
    await user.page.bringToFront();
    await user.page.reload();
    assert.match(await user.text('#transcript'), /It is changed\.[^]*Then we go on\./);
    assert.doesNotMatch(await user.text('#transcript'), /Stopped/);
    // A tab that is gone leaves its answer to others.
    await other.bringToFront();
    await other.type('#prompt', 'endless');
    await other.keyboard.press('Enter');
    await user.until(() => document.querySelector('#send').hidden);
    await other.close();
    await user.page.bringToFront();
    await user.untilText('.end', 'Stopped before its end.');
    await user.click('Try again');
    await user.untilText('.document.text', 'It begins');
    assert.equal(await user.count('.message.user'), 3);
    await user.click('Stop');
    await user.untilIdle();
  });
}

// Where a browser has no locks, two tabs may ask at the same time.
async function losesNoMessageOfTwoTabs() {
  await onPage(async (user) => {
    await user.ask('hello');
    await user.page.evaluateOnNewDocument(() => Object.defineProperty(navigator, 'locks', { value: undefined }));
    await user.page.reload();
    const other = await openTab(user, () => Object.defineProperty(navigator, 'locks', { value: undefined }));
    await user.page.bringToFront();
    await user.send('endless');
    await user.untilText('.document.text', 'It begins');
    await other.bringToFront();
    await other.waitForFunction(() => !document.querySelector('#send').hidden);
    await other.type('#prompt', 'is it long?');
    await other.keyboard.press('Enter');
    await other.waitForFunction(() => document.querySelector('#transcript').innerText.includes('The last line.') &&
      document.querySelector('#stop').hidden);
    await user.page.bringToFront();
    await user.click('Stop');
    await user.untilIdle();
    await user.page.reload();
    const said = await user.text('#transcript');
    for (const text of ['hello', 'endless', 'It begins', 'is it long?', 'The last line.']) assert(said.includes(text), said);
    assert.equal(await user.count('.message.user'), 3);
  });
}

async function stops() {
  await onPage(async (user) => {
    await user.send('endless');
    await user.untilText('.document.text', 'It begins');
    assert.equal(await user.count('#transcript[aria-busy=true]'), 1);
    await user.picture('streaming');
    await user.click('Stop');
    await user.untilIdle();
    assert.match(await user.text('.end'), /Stopped before its end\./);
    // The conversation goes on, and has what was said.
    await user.ask('and then?');
    assert.match(await user.text('.document.text'), /It begins\s+Then we go on\./);
  });
}

async function answersSeveralConversationsAtATime() {
  await onPage(async (user) => {
    await user.send('endless');
    await user.untilText('.document.text', 'It begins');
    await user.click('New conversation', '.sidebar');
    await user.ask('hello');
    assert.equal(await user.text('.document.text'), 'Hello, world.');
    assert.match(await user.text('.item'), /endless\s+answering/);
    await user.page.click('.item[title=endless]');
    assert.equal(await user.text('.document.text'), 'It begins');
    await user.click('Stop');
    await user.untilIdle();
    assert.match(await user.text('.end'), /Stopped before its end\./);
    assert.doesNotMatch(await user.text('.item'), /answering/);
  });
}

// Closing the page is a stop; what had come is still there.
async function keepsWhatHadComeWhenItIsClosed() {
  await onPage(async (user) => {
    await user.send('endless');
    await user.untilText('.document.text', 'It begins');
    await user.page.reload();
    assert.equal(await user.text('.document.text'), 'It begins');
    assert.equal(await user.text('.item[aria-current] .item-title'), 'endless');
    assert.match(await user.text('.end'), /Stopped before its end\./);
  });
}

async function makesRoomForConversations() {
  await onPage(async (user) => {
    await user.ask('hello');
    await user.page.evaluate(() => {
      const prefix = 'cursor-gateway.conversation.';
      const value = JSON.parse(Object.entries(localStorage).find(([key]) => key.startsWith(prefix))[1]);
      localStorage.clear();
      for (let i = 0; i < 100; ++i) {
        localStorage.setItem(`${prefix}old${i}`, JSON.stringify({ ...value, id: `old${i}`, title: `old ${i}`, used: i }));
      }
      localStorage.setItem(`${prefix}broken`, '{');
    });
    await user.page.reload();
    assert.equal(await user.count('.item'), 100);
    await user.ask('and then?');
    assert.equal(await user.count('.item'), 100);
    const titles = await user.text('.item-title');
    assert.match(titles, /^and then\?\nold 99\n/);
    assert.doesNotMatch(titles, /old 0$/);
    // What cannot be read makes room first.
    await user.page.evaluate(() => {
      for (let i = 0; i < 50; ++i) localStorage.setItem(`cursor-gateway.conversation.broken${i}`, '{'.repeat(80_000));
    });
    await user.ask('hello');
    assert.match(await user.text('.item-title'), /^and then\?\nold 99\n/);
    assert.equal(await user.count('.item'), 100);
    assert(await user.page.evaluate(() => Object.keys(localStorage).every((key) => !key.includes('.broken'))));
    // Another page of this origin has taken the room of all but one.
    await user.page.evaluate(() => {
      for (const key of Object.keys(localStorage)) {
        if (!key.endsWith('.old99')) localStorage.removeItem(key);
      }
      for (let size = 2 ** 22, i = 0; size >= 1; ++i) {
        try {
          localStorage.setItem(`filler${i}`, 'x'.repeat(size));
        } catch {
          size /= 2;
        }
      }
    });
    await user.click('New conversation', '.sidebar');
    await user.page.$eval('#prompt', (field) => { field.value = 'long '.repeat(1000); });
    await user.ask('text');
    assert.match(await user.text('.document.text'), /The last line\./);
    assert.match(await user.text('#notice'), /no room to keep this conversation/);
    assert.equal(await user.text('.item-title'), 'old 99');
    await user.picture('no-room');
  });
}

// Of an older page, a newer one, or another program on this address.
async function opensWhateverTheBrowserHasKept() {
  await onPage(async (user) => {
    await user.ask('everything');
    const [key, text] = await user.page.evaluate(() =>
      Object.entries(localStorage).find(([name]) => name.startsWith('cursor-gateway.conversation.')));
    const reopen = async (change) => {
      const value = JSON.parse(text);
      change(value, value.turns[0].answer);
      await user.page.evaluate((name, changed) => {
        localStorage.setItem(name, changed);
        location.hash = name.split('.').at(-1);
      }, key, JSON.stringify(value));
      await user.page.reload();
    };
    const part = ({ parts }, type) => parts.find((one) => one.type === type);
    for (const change of [(_, answer) => { part(answer, 'plan').metadata.todos = 'none'; },
                          (_, answer) => { answer.parts[0].type = 'constructor'; },
                          (_, answer) => { part(answer, 'file_edit').metadata.diff = 'none'; }]) {
      await reopen(change);
      assert.match(await user.text('.message.agent'), /The tests pass/, String(change));
    }
    assert.match(await user.text('.message.agent'), /file_edit:.*src\/login\.py/s);
    await user.ask('and then?');
    assert.match(await user.text('.message.agent:last-of-type'), /Then we go on\./);
    for (const change of [(value) => { value.turns = null; }, (value) => { value.title = 1; }, (value) => { value.version = 1000; },
                          (_, answer) => { answer.parts = {}; }, (_, answer) => { answer.parts.push(null); },
                          (_, answer) => { answer.usage = { totalTokens: 'x' }; }]) {
      await reopen(change);
      assert.equal(await user.text('#title'), 'New conversation', String(change));
      assert.equal(await user.count('.item'), 0, String(change));
    }
    await user.ask('hello');
    assert.equal(await user.text('.document.text'), 'Hello, world.');
  }, { allowed: /TypeError/ });
}

async function tellsOfErrors() {
  const allowed = /status of 404/;
  await onPage(async (user) => {
    await user.ask('fail');
    assert.match(await user.text('.document.error'), /No such model.*\s+Choose another model\./);
    await user.click('Try again');
    await user.untilIdle();
    assert.equal(await user.count('.message.user'), 1);
    await user.click('New conversation', '.sidebar');
    await user.ask('fail later');
    assert.match(await user.text('.document.error'), /Provider trouble/);
    assert.equal(await user.count('.end button'), 1);
    assert.doesNotMatch(await user.text('.usage'), /tokens/);
    await user.picture('error');
  }, { allowed });
}

async function keepsConversations() {
  await onPage(async (user) => {
    await user.ask('hello');
    await user.click('New conversation', '.sidebar');
    assert.equal(await user.count('.message'), 0);
    await user.ask('markdown');
    await user.page.reload();
    assert.equal(await user.count('.item'), 2);
    await user.page.click('.item:not([aria-current])[title=hello]');
    assert.equal(await user.text('.document.text'), 'Hello, world.');
    await user.ask('and then?');
    assert.match(await user.text('.document.text'), /Then we go on\./);

    await user.click('Rename');
    await user.page.waitForSelector('#dialog[open]');
    await user.page.$eval('#dialog-field', (field) => field.select());
    await user.page.keyboard.type('Greetings');
    await user.page.keyboard.press('Enter');
    await user.untilText('.item-title', 'Greetings');
    await user.page.type('#search', 'rkdow');
    assert.equal(await user.text('.item-title'), 'markdown');
    await user.page.$eval('#search', (field) => { field.value = ''; field.dispatchEvent(new Event('input')); });

    await user.click('Delete');
    await user.page.waitForSelector('#dialog[open]');
    await user.picture('delete');
    await user.page.keyboard.press('Escape');
    assert.equal(await user.count('.item'), 2);
    await user.click('Delete');
    await user.click('Delete', '#dialog');
    await user.until(() => document.querySelectorAll('.item').length === 1);
    await user.page.reload();
    assert.equal(await user.text('.item-title'), 'markdown');
  });
}

// The gateway forgets, the browser does not.
async function goesOnWhereTheGatewayWasRestarted() {
  await onPage(async (user) => {
    await user.ask('hello');
    await user.ask('everything');
    const { port } = gateway;
    assert.equal(await gateway.stop(), 0);
    await user.ask('remember?');
    assert.match(await user.text('.document.error'), /cannot be reached.*\s+See whether cursor-gateway still runs/);
    gateway = await startGateway(['--listen', `127.0.0.1:${port}`]);
    // Its new address, opened in the tab that is there.
    await user.page.evaluate((hash) => { location.hash = hash; }, new URL(await gateway.page).hash);
    await user.until(() => !location.hash.startsWith('#key'));
    await user.click('Try again');
    await user.untilIdle();
    assert.match(await user.text('.message.agent:last-of-type'), /You said hello\./);
    assert.equal(await user.count('.document.error'), 0);
  }, { allowed: /ERR_CONNECTION_REFUSED|status of 404/ });
}

async function takesTheKeyOfItsAddress() {
  await onPage(async (user) => {
    await user.until(() => document.querySelectorAll('#model option').length > 2);
    const key = new URL(await gateway.page).hash.slice('#key='.length);
    assert.match(key, /^[A-Za-z0-9]{32}$/);
    const address = await user.page.evaluate(() => JSON.stringify([location.href, history.length, { ...localStorage }]));
    assert(!address.includes(key));
    await user.ask('hello');
    await user.page.reload();
    await user.until(() => document.querySelectorAll('#model option').length > 2);
    assert.equal(await user.count('#dialog[open]'), 0);
  });
  await visit(browser, gateway.url, { allowed: /status of 401/ }, (user) => user.page.waitForSelector('#dialog[open]'));
}

async function asksForAKey() {
  const locked = await startGateway(['--key-file', join(scratch, 'keys')]);
  await visit(browser, locked.url, { allowed: /status of 401/ }, async (user) => {
    await user.page.waitForSelector('#dialog[open]');
    await user.picture('key');
    await user.page.keyboard.type('ключ');
    await user.page.keyboard.press('Enter');
    await user.untilText('#dialog-text', 'This is no key');
    await user.page.keyboard.type('wrong-key');
    await user.page.keyboard.press('Enter');
    await user.untilText('#dialog-text', 'did not take this key');
    await user.page.keyboard.type('key-of-this-test');
    await user.page.keyboard.press('Enter');
    await user.until(() => document.querySelectorAll('#model option').length > 2);
    await user.ask('hello');
    assert.equal(await user.text('.document.text'), 'Hello, world.');
    const kept = await user.page.evaluate(() => JSON.stringify([{ ...localStorage }, document.cookie, location.href]));
    assert(!kept.includes('key-of-this-test'));
    await user.page.reload();
    await user.until(() => document.querySelectorAll('#model option').length > 2);
    assert.equal(await user.count('#dialog[open]'), 0);
    // One that an older page has kept.
    await user.page.evaluate(() => sessionStorage.setItem('cursor-gateway.key', 'кл'));
    await user.page.reload();
    await user.untilText('#dialog-text', 'wants one of its API keys');
    await user.page.keyboard.type('key-of-this-test');
    await user.page.keyboard.press('Enter');
    await user.until(() => document.querySelectorAll('#model option').length > 2);
    // A key that is not taken any more: the message is not lost.
    await user.page.evaluate(() => sessionStorage.setItem('cursor-gateway.key', 'former-key'));
    await user.send('and then?');
    await user.page.waitForSelector('#dialog[open]');
    await user.page.keyboard.type('key-of-this-test');
    await user.page.keyboard.press('Enter');
    await user.untilText('.document.text', 'Then we go on.');
    assert.equal(await user.count('.message.user'), 2);
  });
  assert(!locked.errors().includes('key-of-this-test'));
  assert.equal(await locked.stop(), 0);
}

async function showsHostileTextAsText() {
  await onPage(async (user) => {
    await user.ask('hostile');
    await user.page.click('.thinking summary');
    await user.page.click('.tool_call summary');
    const answer = '.message.agent';
    assert.equal(await user.count(`${answer} :is(img, script, svg, iframe, b, object, embed, form, style, link)`), 0);
    assert.deepEqual(await user.page.$$eval(`${answer} *`, (nodes) => nodes
      .flatMap((node) => node.getAttributeNames()).filter((name) => name.startsWith('on') || name === 'srcdoc')), []);
    const links = await user.page.$$eval(`${answer} a`, (nodes) => nodes.map((node) => node.protocol));
    assert(links.every((protocol) => protocol === 'https:'), links.join());
    assert.match(await user.text(answer), /<img src=x onerror="window\.hacked=1">/);
    assert.equal(await user.page.evaluate(() => window.hacked), undefined);
    await user.picture('hostile');
  });
}

async function isUsedByKeyboardAlone() {
  await onPage(async (user) => {
    const { keyboard } = user.page;
    await user.type('hello');
    await keyboard.down('Shift');
    await keyboard.press('Enter');
    await keyboard.up('Shift');
    assert.equal(await user.page.$eval('#prompt', (field) => field.value), 'hello\n');
    await keyboard.press('Backspace');
    // While a character is being composed, Enter chooses it.
    await user.page.$eval('#prompt', (field) => field.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true })));
    assert.equal(await user.count('.message'), 0);
    await keyboard.press('Enter');
    await user.untilIdle();
    assert.equal(await user.page.evaluate(() => document.activeElement.id), 'prompt');
    const reached = [];
    for (let i = 0; i < 14; ++i) {
      await keyboard.press('Tab');
      reached.push(await user.page.evaluate(() => document.activeElement.id || document.activeElement.textContent));
      const isSeen = await user.page.evaluate(() => document.activeElement === document.body ||
        getComputedStyle(document.activeElement).outlineStyle !== 'none');
      assert(isSeen, `the focus is not seen at ${reached.at(-1)}`);
    }
    for (const id of ['mode', 'model', 'send', 'new', 'search', 'rename', 'delete', 'scroller']) {
      assert(reached.includes(id), `${id} is not among ${reached}`);
    }
  });
}

// The end stays in sight, unless the user looks at something else.
async function scrollsOnlyAtTheEnd() {
  const isAtEnd = () => {
    const box = document.querySelector('#scroller');
    return box.scrollHeight - box.scrollTop - box.clientHeight < 4;
  };
  await onPage(async (user) => {
    await user.ask('long');
    await user.page.waitForFunction(isAtEnd);
    await user.send('endless');
    await user.untilText('.document.text', 'It begins');
    await user.page.waitForFunction(isAtEnd);
    await user.page.$eval('#scroller', (box) => { box.scrollTop = 0; });
    await user.page.waitForFunction(() => document.querySelector('#scroller').scrollTop === 0);
    await user.click('Stop');
    await user.untilIdle();
    assert.equal(await user.page.evaluate(isAtEnd), false);
    await user.ask('and then?');
    await user.page.waitForFunction(isAtEnd);
  }, { height: 480 });
}

async function fitsNarrowScreens() {
  for (const width of [360, 768, 1600]) {
    await onPage(async (user) => {
      for (const message of ['everything', 'markdown', 'a_word_that_is_long'.repeat(20)]) {
        await user.ask(message);
        assert(await user.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth &&
          document.querySelector('#scroller').scrollWidth <= document.querySelector('#scroller').clientWidth),
               `${message} is too wide for ${width} pixels`);
      }
      await user.page.$eval('.file_edit', (node) => node.scrollIntoView());
      await user.picture(`width-${width}`);
      if (width > 360) return;
      assert.equal(await user.page.$eval('#sidebar', (node) => getComputedStyle(node).visibility), 'hidden');
      await user.click('List');
      await user.until(() => getComputedStyle(document.querySelector('#sidebar')).visibility === 'visible');
      await user.picture('menu-360');
      await user.page.keyboard.press('Escape');
      await user.until(() => getComputedStyle(document.querySelector('#sidebar')).visibility === 'hidden');
    }, { width });
  }
}

// Contrast of 4.5 between each text and what is behind it. Source: WCAG 2.1, 1.4.3.
async function hasContrast() {
  for (const dark of [false, true]) {
    await onPage(async (user) => {
      for (const message of ['everything', 'markdown', 'which city?', 'fail later', 'hello']) await user.ask(message);
      await user.page.$$eval('details', (nodes) => nodes.forEach((node) => { node.open = true; }));
      const faint = await user.page.evaluate(() => {
        const rgb = (color) => color.match(/[\d.]+/g).map(Number);
        const light = (color) => rgb(color).slice(0, 3)
          .map((part) => part / 255)
          .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
          .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
        const behind = (node) => {
          const color = getComputedStyle(node).backgroundColor;
          return rgb(color)[3] === 0 ? behind(node.parentElement) : color;
        };
        const found = [];
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
          const node = texts.currentNode.parentElement;
          if (texts.currentNode.data.trim() === '' || !node.checkVisibility()) continue;
          const [a, b] = [light(getComputedStyle(node).color), light(behind(node))].sort((x, y) => y - x);
          const contrast = (a + 0.05) / (b + 0.05);
          if (contrast < 4.5) found.push(`${contrast.toFixed(2)}: ${texts.currentNode.data.trim()}`);
        }
        return found;
      });
      assert.deepEqual(faint, []);
    }, { dark });
  }
}

async function isReadableInTheDark() {
  writeFileSync(file, kOldFile);
  await onPage(async (user) => {
    await user.send('change it');
    await user.page.waitForSelector('.approval.waiting');
    const [text, page] = await user.page.$eval('body', (body) => {
      const light = (color) => color.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
      const style = getComputedStyle(body);
      return [light(style.color), light(style.backgroundColor)];
    });
    assert(text > 600 && page < 120);
    await user.picture('dark-approval');
    await user.click('Approve', '.approval');
    await user.untilIdle();
    await user.ask('everything');
    await user.picture('dark');
  }, { dark: true });
}

async function hasModulesThatHold() {
  await onPage(async (user) => {
    assert.deepEqual(await user.page.evaluate(checkModules), []);
  });
}

// A link of another site gets what origin_check says; the address in the browser's bar works.
async function refusesLinksOfOtherSites() {
  await onPage(async (user) => {
    const [answer] = await Promise.all([
      user.page.waitForNavigation(),
      user.page.evaluate((port) => { location.href = `http://localhost:${port}/`; }, gateway.port)]);
    assert.equal(answer.status(), 403);
  }, { allowed: /a request to http:\/\/localhost|status of 403|favicon/ });
}

const tests = [opensAndStreamsAnAnswer, showsMarkdown, showsEachKindOfDocument, approves, sendsADecisionOnce, denies,
               warnsOfFilesThatRun,
               tellsOfDecisionsThatComeTooLate, putsAnAnswerToAQuestion, asksInAModeAndOfAModel,
               showsWhatAnotherTabHasSaid, leavesAnAnswerToTheTabThatAsked, losesNoMessageOfTwoTabs, stops, answersSeveralConversationsAtATime,
               keepsWhatHadComeWhenItIsClosed, tellsOfErrors, keepsConversations, makesRoomForConversations, opensWhateverTheBrowserHasKept,
               goesOnWhereTheGatewayWasRestarted, takesTheKeyOfItsAddress, asksForAKey, showsHostileTextAsText, isUsedByKeyboardAlone,
               scrollsOnlyAtTheEnd, fitsNarrowScreens, hasContrast, isReadableInTheDark, hasModulesThatHold,
               refusesLinksOfOtherSites];
const wanted = (process.env.PAGE_TESTS ?? '').split(',').filter(Boolean);

try {
  upstream = await startProgram(upstreamProgram, ['--plaintext', scripts]);
  gateway = await startGateway();
  browser = await startBrowser(chromium);
  for (const test of tests) {
    if (wanted.length > 0 && !wanted.includes(test.name)) continue;
    const start = Date.now();
    await test();
    console.log(`gateway page: ${test.name}: ok, ${Date.now() - start} ms`);
  }
  assert.equal(await gateway.stop(), 0);
  assert(!gateway.errors().includes(kToken));
  assert.equal(await upstream.stop(), 0, upstream.errors());
  console.log('gateway page: all as expected');
} catch (error) {
  throw new Error(`the upstream said: ${upstream?.errors()}`, { cause: error });
} finally {
  await browser?.close();
  await gateway?.stop();
  await upstream?.stop();
  rmSync(scratch, { recursive: true });
}
