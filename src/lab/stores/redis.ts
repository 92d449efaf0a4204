import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type * as client from '@redis/client';
import type { Effect } from '../../explorer/trial.ts';
import type { KeptChild } from '../../platform/process/child.ts';
import { inTime } from '../../platform/waiting/deadline.ts';
import { readConfig } from '../../service/config/config.ts';
import { ANSWER_MS, Commands, PASSES_MS } from './commands.ts';
import { startProgram } from './program.ts';
import { Store, type StoreConnection } from './store.ts';

/** The commands that strategies use. They have the types of the package `@redis/client`. */
export interface Redis {
  get(key: string): Promise<string | null>;
  /** Returns `OK`, or null if the condition does not hold. */
  set(key: string, value: string, options?: SetOptions): Promise<string | null>;
  del(key: string): Promise<number>;
}

export interface SetOptions {
  /** `NX` writes only if the key does not exist. `XX` writes only if the key exists. */
  condition?: 'NX' | 'XX';
  /** The key expires after this number of seconds. */
  expiration?: { type: 'EX'; value: number };
}

interface RedisConnection extends StoreConnection {
  client: client.RedisClientType;
}

export const redisStore = new Store<RedisConnection>({
  title: 'Redis',
  variables: { url: 'REDIS_URL', program: 'REDIS_SERVER_PATH' },
  settings: () => readConfig().redis,
  connect: (url) => connect({ url }),
  start,
});

/** Starts a server without a port and without data files. Only this user can reach its socket. */
async function start(file: string): Promise<RedisConnection> {
  let socket = '';
  const argsIn = (folder: string) => {
    socket = path.join(folder, 'redis.sock');
    return ['--port', '0', '--unixsocket', socket, '--unixsocketperm', '700', ...MEMORY_ONLY];
  };
  // If the package is missing, `load` throws, and no server starts.
  await load();
  // Redis prints these words when its socket accepts connections.
  const program = await startProgram(file, argsIn, /ready to accept connections/i);
  return connect({ socket: { path: socket } }, program);
}

/** Only the workshop needs this package, so a service without the workshop does not load it. */
let loaded: typeof client | undefined;
async function load() {
  loaded ??= await import('@redis/client');
  return loaded;
}

const MEMORY_ONLY = ['--save', '', '--appendonly', 'no', '--daemonize', 'no'];

type Where = { url: string } | { socket: { path: string } };

async function connect(where: Where, program?: KeptChild): Promise<RedisConnection> {
  const { createClient } = await load();
  // The client does not reconnect. A command that is sent again might run twice, and the schedule
  // would be wrong.
  const once = { reconnectStrategy: false as const };
  const socket = 'socket' in where ? { ...where.socket, tls: false as const, ...once } : once;
  const client = createClient({
    ...where,
    socket,
    disableOfflineQueue: true,
    commandOptions: { timeout: ANSWER_MS },
  });
  const ended = new Promise<void>((resolve) => {
    client.on('error', () => resolve());
    client.on('end', () => resolve());
  });
  try {
    // A server may accept the connection and stay silent, or ask for a password.
    const answering = client.connect().then(() => client.ping());
    const answer = await inTime(answering, ANSWER_MS, () => undefined);
    if (answer === undefined) throw new Error(`no answer within ${ANSWER_MS / 1000} s`);
  } catch (error) {
    if (client.isOpen) client.destroy();
    await program?.kill();
    throw error;
  }
  return {
    client: client as client.RedisClientType,
    ended,
    async close() {
      if (client.isOpen) client.destroy();
      await program?.kill();
    },
  };
}

/** The keys of one trial. Other trials use the same server at the same time. */
export class RedisKeys {
  readonly #prefix = `rowlock:${randomUUID()}:`;
  readonly #keys = new Set<string>();
  #removed: string[] = [];
  readonly #commands = new Commands(redisStore, isReply);

  /** Returns the commands of one session. Each command is one step. */
  commandsBy(effect: Effect): Redis {
    return {
      get: (key) =>
        effect({ text: `redis: get ${key}`, readsClock: true }, () =>
          this.#run((client) => client.get(this.#own(key))),
        ),
      set: (key, value, options) =>
        effect({ text: `redis: set ${key} ${value}${inWords(options)}`, readsClock: true }, () =>
          this.#run((client) => client.set(this.#own(key), value, options)),
        ),
      del: (key) =>
        effect({ text: `redis: del ${key}`, readsClock: true }, () =>
          this.#run((client) => client.del(this.#own(key))),
        ),
    };
  }

  /** Removes all keys of this trial. */
  async clear() {
    await this.#commands.settle();
    if (this.#keys.size === 0) return;
    await this.#run((client) => client.del([...this.#keys]));
    this.#keys.clear();
  }

  /** Lets two days pass for the keys of this trial. Redis itself removes each expired key. */
  async passTime() {
    await this.#commands.settle();
    this.#removed = [];
    if (this.#keys.size === 0) return;
    await this.#run(async (client) => {
      for (const key of this.#keys)
        if (await age(client, key)) this.#removed.push(key.slice(this.#prefix.length));
    });
  }

  /** Returns a sentence about each key that Redis removed in the last call of `passTime`. */
  runOut(): string[] {
    return this.#removed.map((key) => `key ${key} of Redis expires`);
  }

  /** Throws a `StoreError` if Redis was lost. */
  assertIntact() {
    this.#commands.assertIntact();
  }

  #own(key: string): string {
    const own = this.#prefix + key;
    this.#keys.add(own);
    return own;
  }

  #run<T>(command: (client: client.RedisClientType) => Promise<T>): Promise<T> {
    return this.#commands.run(({ client }) => command(client));
  }
}

/**
 * Brings the end of a key two days nearer. If the key then expires, waits until Redis has removed
 * the key, and returns true.
 */
async function age(client: client.RedisClientType, key: string): Promise<boolean> {
  const left = await client.pTTL(key);
  const hasNoEnd = left < 0;
  if (hasNoEnd) return false;
  await client.pExpire(key, Math.max(1, left - PASSES_MS));
  if (left > PASSES_MS) return false;
  while ((await client.exists(key)) > 0);
  return true;
}

/** Returns whether Redis itself sent this error. */
const isReply = (error: unknown) => loaded !== undefined && error instanceof loaded.ErrorReply;

const inWords = ({ condition, expiration }: SetOptions = {}): string =>
  [condition, expiration && `EX ${expiration.value}`]
    .filter((word) => word !== undefined)
    .map((word) => ` ${word}`)
    .join('');
