import { setTimeout } from 'node:timers/promises';
import type { Session } from './session.ts';
import { nothingRan } from './sqlstate.ts';

/** Sessions to share: each is lent to one user at a time, and opened when first needed. */
export interface Pool {
  /** Throws with the code NOTHING_RAN once the pool is closed. */
  lend<T>(use: (session: Session) => Promise<T>): Promise<T>;
  /** Lends no more, and ends all sessions; those that are lent have this many seconds. */
  close(patienceSeconds: number): Promise<void>;
}

/** At most `size` sessions; who finds none free waits in line, without a bound of its own. */
export function createPool(size: number, open: () => Session): Pool {
  const free: Session[] = [];
  const lent = new Map<Session, Promise<unknown>>();
  const line: (() => void)[] = [];
  let places = size;
  let closed = false;

  /** The place of one who leaves goes to the first in line, whom no newcomer overtakes. */
  async function enter() {
    if (!closed && places > 0) places--;
    else if (!closed) await new Promise<void>((resolve) => line.push(resolve));
    if (closed) throw nothingRan(new Error('the pool is closed'));
  }
  function leave() {
    const next = line.shift();
    if (next) next();
    else places++;
  }
  /** A connection may be lost while nobody uses it: then a new session takes its place. */
  function take(): Session {
    for (let session = free.pop(); session; session = free.pop())
      if (session.isAlive()) return session;
    return open();
  }
  return {
    async lend(use) {
      await enter();
      const session = take();
      const used = use(session);
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
      for (const refuse of line.splice(0)) refuse();
      const patience = setTimeout(patienceSeconds * 1000, undefined, { ref: false });
      await Promise.race([Promise.allSettled(lent.values()), patience]);
      await Promise.all([...free, ...lent.keys()].map((session) => session.close(0)));
    },
  };
}
