import { setImmediate } from 'node:timers/promises';
import { type Asks, pathOf } from './asks.ts';
import { percentiles } from './percentiles.ts';
import { Wire } from './wire.ts';

/** A group of connections. Each connection sends its next request right after an answer. */
export interface Crowd {
  asks: Asks;
  connections: number;
}

/**
 * An order to let crowds send requests at the same time. If `seconds` is 0, each connection sends
 * one request.
 */
export interface Order {
  /** The servers, such as `http://127.0.0.1:3000`. The connections use the servers in turn. */
  origins: string[];
  seconds: number;
  crowds: Crowd[];
}

/** The answers that a crowd got. */
export interface Heard {
  /** The number of answers with each status. Answers after the end of `seconds` count as well. */
  statuses: Record<string, number>;
  /** Answers per second, from the first request to the last answer. */
  perSecond: number;
  /**
   * The time from a request to the end of its answer in milliseconds: the median, and the 99th
   * percentile.
   */
  p50: number;
  p99: number;
}

export type Report = { heard: Heard[] } | { failed: string };

/**
 * The number of connections that are opened at the same time. The server delays connections that
 * overflow its backlog.
 */
const OPENED_AT_ONCE = 100;

/** Makes the ordered load. Throws if a connection is refused or lost. */
export async function makeLoad({ origins, seconds, crowds }: Order): Promise<Heard[]> {
  const lost = new AbortController();
  const opened: Wire[] = [];
  try {
    for (const { connections } of crowds) await openMore(origins, connections, opened, lost);
    lost.signal.throwIfAborted();
    const free = [...opened];
    const asking = crowds.map((crowd) => ask(crowd, free.splice(0, crowd.connections), seconds));
    return await Promise.race([Promise.all(asking), whenAborted(lost.signal)]);
  } finally {
    for (const wire of opened) wire.close();
  }
}

async function openMore(
  origins: string[],
  connections: number,
  opened: Wire[],
  lost: AbortController,
) {
  const onLost = () => lost.abort(new Error('the server ended a connection'));
  for (let left = connections; left > 0; left -= OPENED_AT_ONCE) {
    const some = Array.from({ length: Math.min(left, OPENED_AT_ONCE) }, (_, n) =>
      Wire.open(origins[n % origins.length] ?? '', onLost),
    );
    opened.push(...(await Promise.all(some)));
    await setImmediate();
  }
}

const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

/** Sends the requests of one crowd. Resolves when every connection has its last answer. */
function ask({ asks }: Crowd, wires: Wire[], seconds: number): Promise<Heard> {
  const start = performance.now();
  const end = start + seconds * 1000;
  const tookMs: number[] = [];
  const statuses: Record<string, number> = {};
  let n = 0;
  let busy = wires.length;

  return new Promise((resolve) => {
    const next = (wire: Wire, now: number, isFirst: boolean) => {
      const path = now < end || isFirst ? pathOf(asks, n) : undefined;
      if (path !== undefined) {
        n++;
        wire.ask(path, (status) => heard(wire, now, status));
      } else if (--busy === 0) {
        const perSecond = (1000 * tookMs.length) / (now - start);
        resolve({ statuses, perSecond, ...percentiles(tookMs) });
      }
    };
    const heard = (wire: Wire, askedAt: number, status: number) => {
      const now = performance.now();
      tookMs.push(now - askedAt);
      statuses[status] = (statuses[status] ?? 0) + 1;
      next(wire, now, false);
    };
    for (const wire of wires) next(wire, performance.now(), true);
  });
}
