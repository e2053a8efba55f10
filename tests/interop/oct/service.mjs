// The agent service of a test: the local upstream, which plays scripts, behind a pipe that can stop.
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { Program, scratchFolder } from './peers.mjs';

// Where what the service says stops until the test lets it go on: before the next occurrence of these bytes.
class Stop {
  constructor(mark, done) {
    this.mark = Buffer.from(mark);
    this.reached = new Promise((reached) => (this.reach = reached));
    this.open = done;
  }
}

export class Service {
  // Each run plays the next script, a list of steps; the last one again and again.
  static async start(upstream, ...scripts) {
    const service = new Service();
    const file = join(scratchFolder(), 'scripts.json');
    writeFileSync(file, JSON.stringify(scripts.map((steps, n) => ({ name: `run ${n + 1}`, steps }))));
    // Without TLS, so that the pipe sees what is said.
    service.program = new Program(upstream, ['--plaintext', file], { isJson: false });
    const { port } = new URL((await service.program.next()).split(' ').at(-1));
    service.pipe = createServer((client) => service.#join(client, port));
    await new Promise((done) => service.pipe.listen(0, '127.0.0.1', done));
    service.args = ['--endpoint', `http://127.0.0.1:${service.pipe.address().port}`];
    return service;
  }
  sockets = new Set();
  stops = [];
  waiting = new Set();

  // Of several the first is looked for until it is open.
  stopAt(mark) {
    const stop = new Stop(mark, () => {
      stop.isOpen = true;
      this.waiting.forEach((goOn) => goOn());
    });
    this.stops.push(stop);
    return stop;
  }
  // What the program under test did otherwise than the scripts say.
  get violations() {
    return this.program.errors;
  }
  end() {
    this.pipe.close();
    this.sockets.forEach((socket) => socket.destroy());
  }

  #join(client, port) {
    const upstream = connect(port, '127.0.0.1');
    for (const [socket, other] of [[client, upstream], [upstream, client]]) {
      this.sockets.add(socket);
      socket.on('error', () => {}).on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(upstream);
    let rest = Buffer.alloc(0);
    const goOn = () => {
      while (this.stops[0]?.isOpen) {
        const { mark } = this.stops.shift();
        // What was stopped at is behind.
        if (rest.subarray(0, mark.length).equals(mark)) {
          client.write(mark);
          rest = rest.subarray(mark.length);
        }
      }
      const mark = this.stops[0]?.mark;
      const at = mark ? rest.indexOf(mark) : -1;
      let length = at < 0 ? rest.length : at;
      // The beginning of a mark may be the end of what is here.
      for (let part = Math.min(mark?.length ?? 0, rest.length); at < 0 && part > 0; --part) {
        if (!rest.subarray(rest.length - part).equals(mark.subarray(0, part))) continue;
        length -= part;
        break;
      }
      if (length > 0) client.write(rest.subarray(0, length));
      rest = rest.subarray(length);
      if (at >= 0) this.stops[0].reach();
    };
    this.waiting.add(goOn);
    client.on('close', () => this.waiting.delete(goOn));
    upstream.on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      goOn();
    });
    upstream.on('end', () => client.end());
  }
}
