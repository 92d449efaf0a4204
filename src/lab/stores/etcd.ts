import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import type { Effect } from '../../explorer/trial.ts';
import { freePort } from '../../platform/postgres/postmaster.ts';
import type { KeptChild } from '../../platform/process/child.ts';
import { readConfig } from '../../service/config/config.ts';
import { ANSWER_MS, Commands } from './commands.ts';
import { startProgram } from './program.ts';
import { Store, type StoreConnection } from './store.ts';

/** The number of a lease in its schedule. When a lease ends, etcd removes the keys of the lease. */
export type Lease = number;

/** The commands that strategies use. Each command is one request to etcd. */
export interface Etcd {
  /** Grants a lease of this number of seconds. */
  grant(seconds: number): Promise<Lease>;
  /** Returns whether the lease lasts for more than this number of seconds from now. */
  outlives(lease: Lease, seconds: number): Promise<boolean>;
  /** Renews the lease for its full time. Returns false if the lease has ended. */
  keepAlive(lease: Lease): Promise<boolean>;
  /** Ends the lease and removes its keys. */
  revoke(lease: Lease): Promise<void>;
  /**
   * Writes the key in a transaction of etcd if the key does not exist. Returns how often the key
   * has been written, which is a fencing token. Returns undefined if the key exists or the lease
   * has ended.
   */
  putIfAbsent(key: string, value: string, lease: Lease): Promise<number | undefined>;
}

interface EtcdConnection extends StoreConnection {
  /** Sends one request to the JSON gateway. Throws an `EtcdError` if etcd refuses the request. */
  ask<Answer>(path: string, body: unknown): Promise<Answer>;
}

export const etcdStore = new Store<EtcdConnection>({
  title: 'etcd',
  variables: { url: 'ETCD_URL', program: 'ETCD_PATH' },
  settings: () => readConfig().etcd,
  connect: (url) => connect(url),
  start,
});

/** The number of attempts to start. Another program may take the free port before etcd does. */
const TRIES = 3;

async function start(file: string): Promise<EtcdConnection> {
  for (let tried = 1; ; tried++) {
    const url = `http://127.0.0.1:${await freePort()}`;
    try {
      return await connect(
        url,
        await startProgram(file, () => argsFor(url), /serv(e|ing) client/i, SETTINGS),
      );
    } catch (error) {
      if (tried === TRIES || !/address already in use/.test(String(error))) throw error;
    }
  }
}

/**
 * Returns the arguments for a cluster of one member. The member listens for other members on a
 * socket in its folder, where nobody else connects.
 */
const argsFor = (url: string) => [
  ...['--data-dir', 'data', '--logger', 'zap', '--log-outputs', 'stderr'],
  ...['--listen-client-urls', url, '--advertise-client-urls', url],
  ...['--listen-peer-urls', 'unix://localhost:1', '--initial-advertise-peer-urls', PEER],
  ...['--initial-cluster', `default=${PEER}`],
  // A member without other members elects itself after this time.
  ...['--heartbeat-interval', '10', '--election-timeout', '100'],
];
/**
 * etcd does not wait for the disk, because a write took more than five seconds on a busy disk. This
 * is safe, because the lab never starts an etcd again with old data. An older etcd does not know
 * this setting, and only warns.
 */
const SETTINGS = { ETCD_UNSAFE_NO_FSYNC: 'true' };
const PEER = 'http://localhost:1';

async function connect(url: string, program?: KeptChild): Promise<EtcdConnection> {
  const ask = askAt(url);
  try {
    await ask('maintenance/status', {});
  } catch (error) {
    await program?.kill();
    throw error;
  }
  return {
    ask,
    ended: program ? program.ended : new Promise(() => undefined),
    close: async () => program?.kill(),
  };
}

/** The error if etcd refuses a request. */
export class EtcdError extends Error {
  override name = 'EtcdError';
  readonly code: number;

  constructor({ message, code }: { message: string; code: number }) {
    super(message);
    this.code = code;
  }
}

/** The code of gRPC for a lease that is not there. */
const NOT_FOUND = 5;
const isNotFound = (error: unknown) => error instanceof EtcdError && error.code === NOT_FOUND;

/** An idle connection is closed after this time, before a proxy closes it. */
const IDLE_MS = 4_000;

/**
 * Makes a function that sends a request to etcd. `fetch` needs more than twice the processor time
 * for such small requests.
 */
function askAt(url: string): EtcdConnection['ask'] {
  const { Agent, request } = url.startsWith('https:') ? https : http;
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
  return async <Answer>(path: string, body: unknown): Promise<Answer> => {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const asked = request(new URL(`/v3/${path}`, url), { method: 'POST', agent, signal });
    // We ignore this error. If the connection is lost after the response has begun, the response
    // fails too.
    asked.on('error', () => undefined);
    asked.end(JSON.stringify(body));
    const [response] = (await once(asked, 'response')) as [http.IncomingMessage];
    const said = JSON.parse(await text(response)) as Answer & { message: string; code: number };
    if (response.statusCode !== 200) throw new EtcdError(said);
    return said;
  };
}

/** The keys and leases of one trial. Other trials use the same etcd at the same time. */
export class EtcdKeys {
  readonly #prefix = `rowlock/${randomUUID()}/`;
  /**
   * The id of a lease is this number plus the lease's number, and has at most 63 bits. Each trial
   * begins at a random number, and each schedule has new ids.
   */
  #firstId = BigInt(randomInt(2 ** 47)) << 16n;
  #leases: { owner: number }[] = [];
  #ended: Lease[] = [];
  #hasKeys = false;
  readonly #commands = new Commands(etcdStore, (error) => error instanceof EtcdError);

  /** Returns the commands of the session with this number. Each command is one step. */
  commandsBy(effect: Effect, owner: number): Etcd {
    const step = <T>(text: string, command: () => Promise<T>) =>
      effect({ text: `etcd: ${text}`, readsClock: true }, command);
    const putIfAbsent: Etcd['putIfAbsent'] = (...put) => this.#putIfAbsent(...put);
    const revoke = (lease: Lease) => this.#revoke(lease);
    return {
      grant: (seconds) => {
        const lease = this.#leases.push({ owner });
        return step(`grant lease ${lease} of ${seconds} s`, () => this.#grant(lease, seconds));
      },
      outlives: (lease, seconds) =>
        step(`does lease ${lease} have more than ${seconds} s left?`, () =>
          this.#outlives(lease, seconds),
        ),
      keepAlive: (lease) => step(`keep lease ${lease} alive`, () => this.#keepAlive(lease)),
      async revoke(lease) {
        await step(`revoke lease ${lease}`, async () =>
          (await revoke(lease)) ? 'revoked' : 'not found: the lease is over',
        );
      },
      async putIfAbsent(key, value, lease) {
        let token: number | undefined;
        await step(`put ${key} = ${value} with lease ${lease}, if there is no ${key}`, async () => {
          token = await putIfAbsent(key, value, lease);
          return token === undefined ? 'not written' : `written, token ${token}`;
        });
        return token;
      },
    };
  }

  /** Returns whether a session has a key now. */
  async isHolding(owner: number): Promise<boolean> {
    const range = { key: base64(this.#prefix), range_end: base64(after(this.#prefix)) };
    const { kvs = [] } = await this.#ask<{ kvs?: { lease?: string }[] }>('kv/range', range);
    const owned = this.#leases.flatMap((lease, index) =>
      lease.owner === owner ? [this.#idOf(index + 1)] : [],
    );
    return kvs.some(({ lease }) => lease !== undefined && owned.includes(lease));
  }

  /** Removes all keys and leases of this trial. */
  async clear() {
    await this.passTime();
    const range = { key: base64(this.#prefix), range_end: base64(after(this.#prefix)) };
    if (this.#hasKeys) await this.#ask('kv/deleterange', range);
    this.#hasKeys = false;
    this.#firstId += BigInt(this.#leases.length);
    this.#leases = [];
  }

  /**
   * Lets time pass, so every lease ends. If a lease ends by itself, etcd removes it after about a
   * second, which is too slow for hundreds of schedules. So we revoke the leases, which removes the
   * same keys.
   */
  async passTime() {
    await this.#commands.settle();
    const wereRunning = await Promise.all(this.#leases.map((_, index) => this.#revoke(index + 1)));
    this.#ended = wereRunning.flatMap((wasRunning, index) => (wasRunning ? index + 1 : []));
  }

  /** Returns a sentence about each lease that ended in the last call of `passTime`. */
  runOut(): string[] {
    return this.#ended.map((lease) => `lease ${lease} of etcd ends, with its keys`);
  }

  /** Throws a `StoreError` if etcd was lost. */
  assertIntact() {
    this.#commands.assertIntact();
  }

  async #grant(lease: Lease, seconds: number): Promise<Lease> {
    await this.#ask('lease/grant', { ID: this.#idOf(lease), TTL: seconds });
    return lease;
  }

  async #outlives(lease: Lease, seconds: number): Promise<boolean> {
    const { TTL = 0 } = await this.#ask<{ TTL?: string }>('lease/timetolive', this.#id(lease));
    return Number(TTL) > seconds;
  }

  async #keepAlive(lease: Lease): Promise<boolean> {
    type Kept = { result: { TTL?: string } };
    const { result } = await this.#ask<Kept>('lease/keepalive', this.#id(lease));
    return Number(result.TTL ?? 0) > 0;
  }

  /** Revokes a lease. Returns false if the lease had ended before. */
  async #revoke(lease: Lease): Promise<boolean> {
    try {
      await this.#ask('lease/revoke', this.#id(lease));
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  async #putIfAbsent(key: string, value: string, lease: Lease): Promise<number | undefined> {
    this.#hasKeys = true;
    const own = base64(this.#prefix + key);
    // After a key was removed, its next version is 1. The second key, with `/count`, stays. So the
    // versions of the second key go on.
    const count = { key: base64(`${this.#prefix}${key}/count`), value: '', prev_kv: true };
    const asked = this.#ask<Transaction>('kv/txn', {
      compare: [{ key: own, target: 'CREATE', create_revision: '0' }],
      success: [
        { request_put: { key: own, value: base64(value), lease: this.#idOf(lease) } },
        { request_put: count },
      ],
    });
    const done = await asked.catch((error): Transaction => {
      if (isNotFound(error)) return {};
      throw error;
    });
    if (!done.succeeded) return undefined;
    return Number(done.responses?.[1]?.response_put?.prev_kv?.version ?? 0) + 1;
  }

  #idOf = (lease: Lease): string => String(this.#firstId + BigInt(lease));

  #id = (lease: Lease) => ({ ID: this.#idOf(lease) });

  #ask<Answer>(path: string, body: unknown): Promise<Answer> {
    return this.#commands.run(({ ask }) => ask<Answer>(path, body));
  }
}

interface Transaction {
  succeeded?: boolean;
  responses?: { response_put?: { prev_kv?: { version: string } } }[];
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Returns the first key after all keys with this prefix. */
const after = (prefix: string) => prefix.replace(/.$/, '0');
