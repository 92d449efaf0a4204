import type { Session } from './session.ts';

/** Sessions to share: each is lent to one user at a time, and opened when first needed. */
export interface Pool {
  lend<T>(use: (session: Session) => Promise<T>): Promise<T>;
  /** Ends all sessions; what still runs gets this many seconds. */
  close(patienceSeconds: number): Promise<void>;
}

/** At most `size` sessions; who finds none free waits in line, without a bound of its own. */
export function createPool(size: number, open: () => Session): Pool {
  const all = new Set<Session>();
  const free: Session[] = [];
  const line: (() => void)[] = [];

  async function take(): Promise<Session> {
    for (const session of [...free].filter((each) => !each.isAlive())) forget(session);
    while (free.length === 0 && all.size >= size)
      await new Promise<void>((resolve) => line.push(resolve));
    const session = free.pop() ?? open();
    all.add(session);
    return session;
  }
  /** A connection may be lost while nobody uses it: then a new session takes its place. */
  function forget(session: Session) {
    all.delete(session);
    free.splice(free.indexOf(session), 1);
  }
  function giveBack(session: Session) {
    if (session.isAlive()) free.push(session);
    else all.delete(session);
    line.shift()?.();
  }
  return {
    async lend(use) {
      const session = await take();
      try {
        return await use(session);
      } finally {
        giveBack(session);
      }
    },
    async close(patienceSeconds) {
      await Promise.all([...all].map((session) => session.close(patienceSeconds)));
    },
  };
}
