// The server of the interoperability tests: InteropService by connect-node, with and without TLS.
//
//   node server.mjs DESCRIPTORS CERTIFICATE KEY
//
// DESCRIPTORS is a FileDescriptorSet that protoc has written. It listens on free ports of
// 127.0.0.1 and prints them in one line, "h2c PORT tls PORT". It ends when its input does.
import { readFileSync } from "node:fs";
import http2 from "node:http2";

import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import {
  Code,
  ConnectError,
  decodeBinaryHeader,
  encodeBinaryHeader,
} from "@connectrpc/connect";
import { compressionGzip, connectNodeAdapter } from "@connectrpc/connect-node";

const [descriptors, certificate, key] = process.argv.slice(2);
const registry = createFileRegistry(
  fromBinary(FileDescriptorSetSchema, readFileSync(descriptors)),
);
const NoteSchema = registry.getMessage("interop.v1.Note");

// The keys of cancelled calls, and who waits for them.
const cancelled = new Set();
const waiting = new Map();

function begin(behavior, context) {
  if (behavior?.key) {
    const note = () => {
      // The signal comes at the end of every call; only a reset with CANCEL has this reason.
      if (context.signal.reason?.code !== Code.Canceled) return;
      cancelled.add(behavior.key);
      waiting.get(behavior.key)?.();
    };
    context.signal.addEventListener("abort", note);
    if (context.signal.aborted) note();
  }
  for (const value of context.requestHeader.get("x-echo")?.split(", ") ?? []) {
    context.responseHeader.append("x-echo", value);
    context.responseTrailer.append("x-echo-trailer", value);
  }
  const binary = binaryHeader(context);
  if (binary.length > 0) {
    context.responseHeader.set("x-echo-bin", encodeBinaryHeader(binary));
    context.responseTrailer.set("x-echo-trailer-bin", encodeBinaryHeader(binary));
  }
}

function binaryHeader(context) {
  const value = context.requestHeader.get("x-echo-bin");
  return value === null ? new Uint8Array() : decodeBinaryHeader(value);
}

async function finish(behavior, context) {
  if (behavior?.hang) await aborted(context.signal);
  if (!behavior?.failure) return;
  const { code, message, notes } = behavior.failure;
  throw new ConnectError(
    message,
    code,
    { "x-error": "yes" },
    notes.map((value) => ({ desc: NoteSchema, value })),
  );
}

function aborted(signal) {
  return new Promise((_, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop);
  });
}

const interop = {
  async echo(request, context) {
    begin(request.behavior, context);
    await finish(request.behavior, context);
    return {
      text: request.text,
      data: request.data,
      httpMethod: context.requestMethod,
      timeoutMs: context.timeoutMs() ?? 0,
      headers: Object.fromEntries(context.requestHeader),
      binaryHeader: binaryHeader(context),
    };
  },

  async *count(request, context) {
    begin(request.behavior, context);
    const data = new Uint8Array(request.bytesEach);
    for (let index = 0; index < request.messages; index++) yield { index, data };
    await finish(request.behavior, context);
  },

  async sum(requests, context) {
    let sum = 0n;
    let dataBytes = 0n;
    let messages = 0;
    let behavior;
    for await (const request of requests) {
      if (messages++ === 0) {
        behavior = request.behavior;
        begin(behavior, context);
      }
      sum += request.number;
      dataBytes += BigInt(request.data.length);
    }
    await finish(behavior, context);
    return { sum, dataBytes, messages };
  },

  async *talk(requests, context) {
    let behavior;
    let first = true;
    for await (const request of requests) {
      if (first) {
        first = false;
        behavior = request.behavior;
        begin(behavior, context);
      }
      yield { number: request.number, data: request.data };
      if (behavior?.failure) break;
    }
    await finish(behavior, context);
  },

  async awaitCancel({ key }) {
    if (!cancelled.has(key)) await new Promise((resolve) => waiting.set(key, resolve));
    return {};
  },
};

const eliza = {
  say: ({ sentence }) => ({ sentence: `You said: ${sentence}` }),
  async *converse(requests) {
    for await (const { sentence } of requests) yield { sentence: `You said: ${sentence}` };
  },
};

const handler = connectNodeAdapter({
  grpc: false,
  grpcWeb: false,
  acceptCompression: [compressionGzip],
  routes(router) {
    router.service(registry.getService("interop.v1.InteropService"), interop);
    router.service(registry.getService("connectrpc.eliza.v1.ElizaService"), eliza);
  },
});

const servers = {
  h2c: http2.createServer(handler),
  tls: http2.createSecureServer(
    { cert: readFileSync(certificate), key: readFileSync(key) },
    handler,
  ),
};
const ports = [];
for (const [name, server] of Object.entries(servers)) {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  ports.push(`${name} ${server.address().port}`);
}
console.log(ports.join(" "));

process.stdin.on("end", () => process.exit(0)).resume();
