import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from './session.ts';
import { nothingRan } from './sqlstate.ts';

/** Sessions to share: each is lent to one user at a time, and opened when first needed. */
export interface Pool {
  /** Throws with the code NOTHING_RAN when there is no session in time, or the pool is closed. */
  lend<T>(use: (session: Session) => Promise<T>): Promise<T>;
  /** Lends no more, and ends all sessions; those that are lent have this many seconds. */
  close(patienceSeconds: number): Promise<void>;
  /** How many sessions are lent, and how many users wait for one. */
  load(): { lent: number; waiting: number };
}

export interface PoolLimits {
  size: number;
  /** Users that may wait for a session; past that they are turned away at once. */
  line: number;
  waitMs: number;
}

/** At most `size` sessions; who finds none free waits in a line that is bounded in length and time. */
export function createPool({ size, line: longest, waitMs }: PoolLimits, open: () => Session): Pool {
  const free: Session[] = [];
  const lent = new Map<Session, Promise<unknown>>();
  const line = new Set<(entered: boolean) => void>();
  let places = size;
  let closed = false;

  async function enter() {
    if (closed) throw nothingRan(new Error('the pool is closed'));
    if (places > 0) places--;
    else if (!(await placeInLine())) throw nothingRan(new Error('no session became free in time'));
  }
  async function placeInLine(): Promise<boolean> {
    if (line.size >= longest) return false;
    return new Promise((resolve) => {
      const settle = (entered: boolean) => {
        clearTimeout(timer);
        line.delete(settle);
        resolve(entered);
      };
      const timer = setTimeout(() => settle(false), waitMs);
      line.add(settle);
    });
  }
  /** The place of one who leaves goes to the first in line, whom no newcomer overtakes. */
  function leave() {
    const [next] = line;
    if (next) next(true);
    else places++;
  }
  /** A connection may be lost while nobody uses it: then a new session takes its place. */
  function take(): Session {
    for (let session = free.pop(); session; session = free.pop())
      if (session.isAlive()) return session;
    return open();
  }
  return {
    load: () => ({ lent: lent.size, waiting: line.size }),
    async lend(use) {
      await enter();
      const session = take();
      // Not before it is known as lent: what uses it may close the pool.
      const used = Promise.resolve(session).then(use);
      lent.set(session, used);
      try {
        return await used;
      } finally {
        lent.delete(session);
        free.push(session);
        leave();
      }
    },
    async close(patienceSeconds) {
      closed = true;
      for (const settle of line) settle(false);
      const patience = sleep(patienceSeconds * 1000, undefined, { ref: false });
      await Promise.race([Promise.allSettled(lent.values()), patience]);
      await Promise.all([...free, ...lent.keys()].map((session) => session.close(0)));
    },
  };
}
