// The programs under test, as processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

// Starts a program whose first line ends in its URL. Resolves to the program:
//   url            where it listens
//   page           the address in its second line, which a gateway writes that has made a key
//   errors()       what it has written to standard error
//   stop()         asks it to end; resolves to its exit code
export async function startProgram(program, args, env = {}) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => { errors += text; });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextUrl = async () => ((await lines.next()).value ?? '').split(' ').at(-1);
  const url = await nextUrl();
  if (!url.startsWith('http')) throw new Error(`${program} did not start: ${errors}`);
  return {
    url,
    page: nextUrl(),
    port: new URL(url).port,
    errors: () => errors,
    async stop() {
      child.kill('SIGTERM');
      const [code] = await ended;
      return code;
    },
  };
}
