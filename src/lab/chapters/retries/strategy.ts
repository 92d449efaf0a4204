import type { Database } from '../../../platform/db/client.ts';
import type { Strategy } from '../../chapter.ts';
import type { Redis } from '../../stores/redis.ts';

/** One way to handle a request that may come again: ordinary code that knows nothing of the lab. */
export interface RetryStrategy extends Strategy {
  /** `once`: each request is charged once, and each repeat gets the same answer. */
  promise: 'once' | 'nothing';
  /**
   * Something in the strategy, such as a lease, ends when time passes. So the explorer also lets
   * time pass.
   */
  timed?: true;
  /**
   * The key is forgotten after some time. So it matters whether a client asks again immediately or
   * later.
   */
  forgets?: true;
  /**
   * Starts a server, and returns its `handle`. Only strategies that keep objects in memory have
   * this function.
   */
  restart?(): RetryStrategy['handle'];
  /** Charges for the request. A repeat has the same key, and should get the same answer. */
  handle(db: Database, request: ChargeRequest, server: Server): Promise<Answer>;
}

export interface ChargeRequest {
  /** The idempotency key. The client sends the same key with each repeat. */
  key: string;
}

export type Answer =
  /** The client was charged. Null if the server does not know the receipt. */
  | { kind: 'done'; receipt: number | null }
  /** HTTP 409: another request with this key still runs. The client should ask again. */
  | { kind: 'running' };

/** The server that handles the request, with everything that is not in the database. */
export interface Server {
  /**
   * Charges the client at the provider, and returns the receipt. No rollback takes a charge back.
   */
  charge(how?: ChargeOptions): Promise<number>;
  /** A map in the memory of this process. The map is empty after the process has died. */
  memory: Memory;
  /** A Redis server, outside the database and outside this process. */
  redis: Redis;
}

export interface ChargeOptions {
  /** The provider charges once for this key. Each repeat gets the receipt of the first charge. */
  key?: string;
  /** How many days the provider remembers the key. By default it remembers the key for ever. */
  days?: number;
}

export interface Memory {
  get<T>(key: string): Promise<T | undefined>;
  set<T>(key: string, value: T): Promise<void>;
  /**
   * Writes the value and returns undefined if the key has no value. Otherwise returns the present
   * value of the key.
   */
  putIfAbsent<T>(key: string, value: T): Promise<T | undefined>;
}
