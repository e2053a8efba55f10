// What Node's HTTP/2 client makes of cursor-gateway. Arguments: URL of the gateway, and its key.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http2 from 'node:http2';

const session = http2.connect(process.argv[2]);
const authorization = `Bearer ${process.argv[3]}`;

function post(headers) {
  return session.request({ ':method': 'POST', ':path': '/v1/chat/completions', ...headers });
}

function ask(content, more = {}) {
  const request = post({ authorization, 'content-type': 'application/json' });
  request.setEncoding('utf8');
  request.end(JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], ...more }));
  return request;
}

async function bodyOf(request) {
  let body = '';
  for await (const piece of request) body += piece;
  return body;
}

function textOf(events) {
  assert.match(events, /data: \[DONE\]\n\n$/);
  return events.split('\n\n').filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice(6)).choices[0]?.delta.content ?? '').join('');
}

async function wholeAnswer() {
  const request = ask('hello');
  const [headers] = await once(request, 'response');
  assert.equal(headers[':status'], 200);
  assert.match(headers['x-request-id'], /^req_/);
  assert.equal(JSON.parse(await bodyOf(request)).choices[0].message.content, 'Hello');
}

async function twentyAtOnce() {
  const requests = Array.from({ length: 20 }, () => ask('hello', { stream: true }));
  const bodies = await Promise.all(requests.map(bodyOf));
  for (const body of bodies) assert.equal(textOf(body), 'Hello');
}

async function slowReaderBesideAFastOne() {
  const slow = ask('long', { stream: true });
  const [headers] = await once(slow, 'response');
  assert.equal(headers['content-type'], 'text/event-stream; charset=utf-8');
  // It is not read, and others go on meanwhile.
  for (let i = 0; i < 5; ++i) assert.equal(textOf(await bodyOf(ask('hello', { stream: true }))), 'Hello');
  assert.equal(textOf(await bodyOf(slow)).length, 1_000_000);
}

// The script of the service waits for the cancel.
async function cancel() {
  const request = ask('endless', { stream: true });
  await once(request, 'data');
  request.close(http2.constants.NGHTTP2_CANCEL);
  await once(request, 'close');
  for (;;) {
    const metrics = await bodyOf(session.request({ ':path': '/metrics', authorization }));
    if (/^cursor_gateway_cancelled_total 1$/m.test(metrics)) return;
  }
}

// Each fails the test if its stream ends with an error.
async function refusals() {
  const cases = [
    { headers: { authorization, 'content-type': 'text/plain' }, status: 415 },
    { headers: { 'content-type': 'application/json' }, status: 401 },
  ];
  for (const { headers, status } of cases) {
    const request = post(headers);
    request.end(' '.repeat(300_000));
    const [answer] = await once(request, 'response');
    assert.equal(answer[':status'], status);
    assert.equal(JSON.parse(await bodyOf(request)).error.type, 'invalid_request_error');
    if (!request.closed) await once(request, 'close');
    assert.equal(request.rstCode, http2.constants.NGHTTP2_NO_ERROR);
  }
}

for (const test of [wholeAnswer, twentyAtOnce, slowReaderBesideAFastOne, cancel, refusals]) {
  await test();
}
session.close();
await once(session, 'close');
