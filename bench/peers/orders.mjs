// The part that all clients in JavaScript have: see bench/peer_client.h.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [port, caFile] = process.argv.slice(2);
export const server = { url: `https://localhost:${port}`, ca: readFileSync(caFile) };
export const kRunPath = '/agent.v1.AgentService/Run';
export const kWindowBytes = 16 * 1024 * 1024;

export function headersOf({ shape, messages, bytes }) {
  return { 'x-shape': shape, 'x-messages': `${messages}`, 'x-bytes': `${bytes}` };
}

function percentile(sorted, percent) {
  return sorted.length === 0 ? 0 : sorted[Math.floor(((sorted.length - 1) * percent) / 100)];
}

// Calls `run(order, latencies)` for each line of the input. It makes the call, and adds a number of
// microseconds for each message of a ping-pong.
export async function serveOrders(run) {
  for await (const line of createInterface({ input: process.stdin })) {
    const [shape, messages, bytes] = line.split(' ');
    const order = { shape, messages: Number(messages), bytes: Number(bytes) };
    const latencies = [];
    const cpuBefore = process.cpuUsage();
    const start = process.hrtime.bigint();
    try {
      await run(order, latencies);
    } catch (error) {
      console.log(`error ${String(error).split('\n')[0]}`);
      continue;
    }
    const wall = Number(process.hrtime.bigint() - start) / 1e3;
    const cpu = process.cpuUsage(cpuBefore);
    latencies.sort((a, b) => a - b);
    const perMessage = [(cpu.user + cpu.system) / order.messages, wall / order.messages];
    console.log(...perMessage, percentile(latencies, 50), percentile(latencies, 99));
  }
}

export function microsecondsSince(start) {
  return Number(process.hrtime.bigint() - start) / 1e3;
}
