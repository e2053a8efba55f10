// A relay of length-prefixed messages to one HTTP/2 stream with Node.js's http2, written for
// bridge-bench: what a parent gains by another bridge. It keeps to the flow control of both sides,
// and copies no bytes that it need not.
import http2 from 'node:http2';

const kPrefixBytes = 4;

class Frames {
  #chunks = [];
  #bytes = 0;

  push(chunk) {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }
  // The next message, or undefined.
  next() {
    if (this.#bytes < kPrefixBytes) return undefined;
    if (this.#chunks[0].length < kPrefixBytes) this.#join();
    const size = this.#chunks[0].readUInt32BE(0);
    if (this.#bytes < kPrefixBytes + size) return undefined;
    if (this.#chunks[0].length < kPrefixBytes + size) this.#join();
    const first = this.#chunks[0];
    const message = first.subarray(kPrefixBytes, kPrefixBytes + size);
    if (first.length === kPrefixBytes + size) this.#chunks.shift();
    else this.#chunks[0] = first.subarray(kPrefixBytes + size);
    this.#bytes -= kPrefixBytes + size;
    return message;
  }
  #join() {
    this.#chunks = [Buffer.concat(this.#chunks)];
  }
}

const frames = new Frames();
let session;
let stream;
let done = false;

function finish(code) {
  if (done) return;
  done = true;
  session?.close();
  process.stdout.end(() => process.exit(code));
}

function start(config) {
  session = http2.connect(config.url, { settings: { initialWindowSize: 1 << 20 } });
  session.on('error', () => finish(1));
  session.on('connect', () => session.setLocalWindowSize(1 << 24));
  stream = session.request({
    ':method': 'POST',
    ':path': config.path,
    'content-type': 'application/connect+proto',
    te: 'trailers',
    authorization: `Bearer ${config.accessToken}`,
  });
  stream.on('data', (chunk) => {
    const prefix = Buffer.allocUnsafe(kPrefixBytes);
    prefix.writeUInt32BE(chunk.length, 0);
    process.stdout.cork();
    process.stdout.write(prefix);
    const more = process.stdout.write(chunk);
    process.stdout.uncork();
    if (!more) {
      stream.pause();
      process.stdout.once('drain', () => stream.resume());
    }
  });
  stream.on('end', () => finish(0));
  stream.on('error', () => finish(1));
}

function drainInput() {
  for (let message = frames.next(); message !== undefined; message = frames.next()) {
    if (!session) start(JSON.parse(message.toString('utf8')));
    else if (message.length === 0) stream.end();
    else if (!stream.write(message)) {
      process.stdin.pause();
      stream.once('drain', () => {
        process.stdin.resume();
        drainInput();
      });
      return;
    }
  }
}

process.stdin.on('data', (chunk) => {
  frames.push(chunk);
  drainInput();
});
process.stdin.on('end', () => stream && !stream.writableEnded && stream.end());
