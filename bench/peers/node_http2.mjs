// Node.js's http2 as a client of stream-bench, with framing of its own: envelopes are cut and
// counted, and not looked at.
import http2 from 'node:http2';

import {
  headersOf,
  kRunPath,
  kWindowBytes,
  microsecondsSince,
  server,
  serveOrders,
} from './orders.mjs';

const kPrefixBytes = 5;
const kEndStream = 2;

// Cuts a body; `left` bytes of the current envelope are still to come.
class Cutter {
  messages = 0;
  ended = false;
  #prefix = Buffer.alloc(0);
  #left = 0;

  push(chunk) {
    let at = 0;
    while (at < chunk.length) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, chunk.length - at);
        at += taken;
        this.#left -= taken;
      } else {
        at = this.#startOne(chunk, at);
      }
      if (this.#left === 0 && this.#prefix.length === kPrefixBytes) this.#finishOne();
    }
  }

  #startOne(chunk, at) {
    const end = at + kPrefixBytes - this.#prefix.length;
    const part = chunk.subarray(at, end);
    this.#prefix = this.#prefix.length === 0 ? part : Buffer.concat([this.#prefix, part]);
    if (this.#prefix.length === kPrefixBytes) this.#left = this.#prefix.readUInt32BE(1);
    return Math.min(end, chunk.length);
  }

  #finishOne() {
    if (this.#prefix[0] & kEndStream) this.ended = true;
    else ++this.messages;
    this.#prefix = Buffer.alloc(0);
  }
}

const session = http2.connect(server.url, {
  ca: server.ca,
  settings: { initialWindowSize: kWindowBytes },
});
session.on('connect', () => session.setLocalWindowSize(kWindowBytes));

function pingOf(bytes) {
  const envelope = Buffer.alloc(kPrefixBytes + bytes, 'm');
  envelope[0] = 0;
  envelope.writeUInt32BE(bytes, 1);
  return envelope;
}

function call(order, latencies) {
  return new Promise((resolve, reject) => {
    const pingPong = order.shape === 'pingpong';
    const cutter = new Cutter();
    const stream = session.request({
      ':method': 'POST',
      ':path': kRunPath,
      'content-type': 'application/connect+proto',
      'connect-protocol-version': '1',
      ...headersOf(order),
    });
    const ping = pingPong && pingOf(order.bytes);
    let sent = process.hrtime.bigint();
    if (pingPong) stream.write(ping);
    else stream.end();
    stream.on('data', (chunk) => {
      const before = cutter.messages;
      cutter.push(chunk);
      if (!pingPong || cutter.messages === before) return;
      latencies.push(microsecondsSince(sent));
      if (cutter.messages === order.messages) return stream.end();
      sent = process.hrtime.bigint();
      stream.write(ping);
    });
    stream.on('error', reject);
    stream.on('close', () => {
      if (cutter.ended && cutter.messages === order.messages) resolve();
      else reject(new Error('a call with another number of messages'));
    });
  });
}

await serveOrders(call);
session.close();
