import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTime } from '../../../src/platform/waiting/deadline.ts';
import { Wire } from './wire.ts';

/**
 * `follow`: open this many clients that follow all jobs. `claim`: claim these jobs at even
 * intervals. `leave`: close all clients.
 */
export type FollowOrder =
  | { kind: 'follow'; origins: string[]; followers: number }
  | { kind: 'claim'; jobs: number[]; seconds: number }
  | { kind: 'leave' };

export type FollowReport =
  | {
      /** For each claim, the milliseconds from its answer until the last follower had the event. */
      toldMs: number[];
    }
  | { failed: string };

/**
 * 100 followers connect from each address of this machine. The service allows each network 200
 * streams. On Linux, all addresses of 127.0.0.0/8 belong to this machine.
 */
const FOLLOWERS_OF_ADDRESS = 100;
/**
 * The number of connections that are opened at the same time. A thousand would overflow the
 * server's backlog.
 */
const OPENED_AT_ONCE = 50;
const READ_BYTES = 65_536;
const PATIENCE_MS = 60_000;

/** Clients that read all data that the servers send. All clients wait for the same text. */
export class Followers {
  readonly #origins: URL[];
  readonly #sockets: Socket[] = [];
  readonly #bytes = Buffer.alloc(READ_BYTES);
  #wanted = Buffer.alloc(0);
  #missing = new Map<Socket, Buffer>();
  #onFound = () => {};
  #onLost: (error: Error) => void = () => {};

  private constructor(origins: string[]) {
    this.#origins = origins.map((origin) => new URL(origin));
  }

  /** Opens clients. Resolves when every client has the full state. */
  static async open(origins: string[], count: number): Promise<Followers> {
    const followers = new Followers(origins);
    while (followers.#sockets.length < count) {
      const some = Math.min(OPENED_AT_ONCE, count - followers.#sockets.length);
      await followers.#openMore(some);
    }
    return followers;
  }

  /**
   * Claims the job. Returns the milliseconds from the answer until the last follower has the event.
   * Returns 0 if all followers have the event before the answer.
   */
  async claim(jobId: number): Promise<number> {
    const wire = await Wire.open(this.#originOf(0).origin, () => undefined);
    const toldAt = this.#find(`\ndata: {"id":${jobId},`, this.#sockets);
    const answeredAt = new Promise<number>((resolve, reject) =>
      wire.ask(`/claim-job?jobId=${jobId}&recruiterId=1`, (status) =>
        status === 200
          ? resolve(performance.now())
          : reject(new Error(`the claim of job ${jobId} was answered ${status}`)),
      ),
    );
    const [told, answered] = await Promise.all([toldAt, answeredAt]);
    wire.close();
    return Math.max(0, told - answered);
  }

  leave() {
    for (const socket of this.#sockets) socket.destroy();
  }

  async #openMore(count: number) {
    const opened = Array.from({ length: count }, () => this.#connect());
    const complete = this.#find('\nevent: end\n', opened);
    for (const socket of opened)
      socket.write('GET /jobs/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await complete;
  }

  #connect(): Socket {
    const { hostname, port } = this.#originOf(this.#sockets.length);
    const address = 1 + Math.floor(this.#sockets.length / FOLLOWERS_OF_ADDRESS);
    const socket: Socket = connect({
      host: hostname,
      port: Number(port),
      localAddress: `127.0.0.${address}`,
      // A new buffer for each read would cost more than the read itself.
      onread: {
        buffer: this.#bytes,
        callback: (length) => {
          this.#hear(socket, length);
          return true;
        },
      },
    });
    socket.on('error', (error) => this.#onLost(error));
    socket.on('end', () => this.#onLost(new Error('the server ended a stream')));
    this.#sockets.push(socket);
    return socket;
  }

  /** Returns the server of follower number `n`. The followers use the servers in turn. */
  #originOf(n: number): URL {
    return this.#origins[n % this.#origins.length] as URL;
  }

  /** Returns the time at which the last of these sockets has received the text. */
  #find(text: string, sockets: Socket[]): Promise<number> {
    this.#wanted = Buffer.from(text);
    this.#missing = new Map(sockets.map((socket) => [socket, Buffer.alloc(0)]));
    const found = new Promise<number>((resolve, reject) => {
      this.#onFound = () => resolve(performance.now());
      this.#onLost = reject;
      if (sockets.length === 0) this.#onFound();
    });
    return inTime(found, PATIENCE_MS, () =>
      Promise.reject(new Error('a follower did not receive an event')),
    );
  }

  #hear(socket: Socket, length: number) {
    const before = this.#missing.get(socket);
    if (!before) return;
    const read = this.#bytes.subarray(0, length);
    // The text may arrive in two parts. Therefore we keep the end of the last read.
    const seam = Buffer.concat([before, read.subarray(0, this.#wanted.length)]);
    if (read.includes(this.#wanted) || seam.includes(this.#wanted)) {
      this.#missing.delete(socket);
      if (this.#missing.size === 0) this.#onFound();
    } else {
      const end = length < this.#wanted.length ? seam : read;
      this.#missing.set(socket, Buffer.from(end.subarray(-this.#wanted.length)));
    }
  }
}

/** Claims the jobs one after another, at even intervals over `seconds`. */
export async function claimEach(followers: Followers, jobs: number[], seconds: number) {
  const toldMs: number[] = [];
  const began = performance.now();
  for (const [n, job] of jobs.entries()) {
    await sleep(began + (n * seconds * 1000) / jobs.length - performance.now());
    // Slow claims delay the next claims. After `seconds`, no more claims are made.
    if (performance.now() - began < seconds * 1000) toldMs.push(await followers.claim(job));
  }
  return toldMs;
}
