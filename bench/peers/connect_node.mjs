// @connectrpc/connect-node as a client of stream-bench, with messages of @bufbuild/protobuf.
//   node connect_node.mjs PORT CA_FILE
// DESCRIPTORS, a variable of the environment, is the FileDescriptorSet of agent_service.proto.
import { readFileSync } from 'node:fs';

import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';

import { headersOf, microsecondsSince, server, serveOrders } from './orders.mjs';

const registry = createFileRegistry(
  fromBinary(FileDescriptorSetSchema, readFileSync(process.env.DESCRIPTORS)),
);
const client = createClient(
  registry.getService('agent.v1.AgentService'),
  createConnectTransport({
    httpVersion: '2',
    baseUrl: server.url,
    acceptCompression: [],
    nodeOptions: { ca: server.ca },
  }),
);

const kTextOverheadBytes = 6; // of three nested messages with lengths of one byte

// What is sent waits here for the stream that takes it.
class Outbox {
  #messages = [];
  #ended = false;
  #wake = () => {};

  push(message) {
    this.#messages.push(message);
    this.#wake();
  }
  end() {
    this.#ended = true;
    this.#wake();
  }
  async *[Symbol.asyncIterator]() {
    for (;;) {
      while (this.#messages.length > 0) yield this.#messages.shift();
      if (this.#ended) return;
      await new Promise((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

function textMessage(bytes) {
  const text = 'm'.repeat(bytes - kTextOverheadBytes);
  return {
    message: {
      case: 'interactionUpdate',
      value: { message: { case: 'textDelta', value: { text } } },
    },
  };
}

async function call(order, latencies) {
  const pingPong = order.shape === 'pingpong';
  const outbox = new Outbox();
  const ping = pingPong && textMessage(order.bytes);
  let sent = process.hrtime.bigint();
  if (pingPong) outbox.push(ping);
  else outbox.end();
  let messages = 0;
  for await (const _ of client.run(outbox, { headers: headersOf(order) })) {
    ++messages;
    if (!pingPong) continue;
    latencies.push(microsecondsSince(sent));
    sent = process.hrtime.bigint();
    if (messages < order.messages) outbox.push(ping);
    else outbox.end();
  }
  if (messages !== order.messages) throw new Error('a call with another number of messages');
}

await serveOrders(call);
process.exit(0); // the connection would stay open
