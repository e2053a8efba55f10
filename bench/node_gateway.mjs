// The least that a gateway in Node.js does for a streamed answer, written for gateway-bench: http on
// one side, http2 on the other, text deltas of the agent as chunks of OpenAI's API. It finds no
// conversation, offers no tools, checks nothing and reads only the fields that it needs: a real one
// does more and costs more.
//
//   node node_gateway.mjs http://127.0.0.1:PORT
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import http2 from 'node:http2';

const kRunPath = '/agent.v1.AgentService/Run';
const kEnvelopeBytes = 5;
const kEndFlag = 2;

// Protobuf: a field of bytes, whose number and length are small.
function field(number, value) {
  const bytes = Buffer.isBuffer(value) ? value : Buffer.from(value);
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7];
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), bytes]);
}

function envelope(message) {
  const head = Buffer.alloc(kEnvelopeBytes);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

// AgentClientMessage.run_request
function runRequest(prompt) {
  const userMessage = Buffer.concat([field(1, prompt), field(2, randomUUID())]);
  return field(1, Buffer.concat([
    field(1, ''),
    field(2, field(1, field(1, userMessage))),
    field(3, field(1, 'default')),
    field(5, randomUUID()),
    field(9, field(1, 'default')),
  ]));
}

// The bytes of a field of bytes in a message that has such fields alone; undefined: it has none.
function find(message, number) {
  let at = 0;
  while (at < message.length) {
    const tag = message[at++];
    let length = 0;
    let shift = 0;
    let byte;
    do {
      byte = message[at++];
      length |= (byte & 127) << shift;
      shift += 7;
    } while (byte & 128);
    if ((tag & 7) === 0) continue; // a number, which was just read
    if (tag >> 3 === number) return message.subarray(at, at + length);
    at += length;
  }
  return undefined;
}

const upstream = http2.connect(process.argv[2], { settings: { initialWindowSize: 1 << 20 } });
upstream.on('connect', () => upstream.setLocalWindowSize(1 << 24));

function answer(request, response, body) {
  const prompt = JSON.parse(body).messages.at(-1).content;
  const head = { id: `chatcmpl-${randomUUID()}`, object: 'chat.completion.chunk', created: 1, model: 'auto' };
  const chunk = (delta, finish_reason = null) =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason }] })}\n\n`;
  const run = upstream.request({
    ':method': 'POST',
    ':path': kRunPath,
    'content-type': 'application/connect+proto',
    'connect-protocol-version': '1',
    authorization: 'Bearer any',
    'x-cursor-client-type': 'cli',
    'x-cursor-client-version': 'cli-2026.01.01-0123abc',
    'x-ghost-mode': 'true',
    'x-request-id': randomUUID(),
    te: 'trailers',
  });
  run.write(envelope(runRequest(prompt)));
  response.on('close', () => run.close(http2.constants.NGHTTP2_CANCEL));
  let input = Buffer.alloc(0);
  run.on('data', (bytes) => {
    input = input.length === 0 ? bytes : Buffer.concat([input, bytes]);
    let output = '';
    while (input.length >= kEnvelopeBytes) {
      const end = kEnvelopeBytes + input.readUInt32BE(1);
      if (input.length < end) break;
      const flag = input[0];
      const message = input.subarray(kEnvelopeBytes, end);
      input = input.subarray(end);
      if (flag & kEndFlag) continue;
      const update = find(message, 1);
      const delta = update && find(update, 1);
      if (!delta) continue;
      if (!response.headersSent) {
        response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
        output += chunk({ role: 'assistant', content: '' });
      }
      output += chunk({ content: find(delta, 1).toString('utf8') });
    }
    if (output && !response.write(output)) {
      run.pause();
      response.once('drain', () => run.resume());
    }
  });
  run.on('end', () => response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`));
  run.on('error', () => response.destroy());
  run.on('close', () => run.end());
}

const models = JSON.stringify({
  object: 'list',
  data: ['auto', 'small', 'large'].map((id) => ({ id, object: 'model', created: 0, owned_by: 'cursor' })),
});

const server = http.createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(models);
    return;
  }
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (text) => (body += text));
  request.on('end', () => answer(request, response, body));
});
server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
