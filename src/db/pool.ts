import { inTime } from '../waiting/deadline.ts';
import { Line } from '../waiting/line.ts';
import type { Session } from './session.ts';
import { isCausedBy, NO_ANSWER, nothingRan, SQLSTATE } from './sqlstate.ts';

/** Sessions to share: each is lent to one user at a time, and opened when first needed. */
export interface Pool {
  /**
   * Throws with the code NOTHING_RAN when there is no session in time, or the pool is closed, and
   * what `open` throws when no session can be opened.
   */
  lend: Lend;
  /**
   * The same for users who are few: they wait in front of all users of `lend`, in a line without a
   * bound of its own.
   */
  lendFirst: Lend;
  /** Lends no more, and ends all sessions; those that are lent have this many seconds. */
  close(patienceSeconds: number): Promise<void>;
  /** How many sessions are lent, and how many users wait for one. */
  load(): { lent: number; waiting: number };
}

export type Lend = <T>(use: (session: Session) => Promise<T>) => Promise<T>;

export interface PoolLimits {
  /** The most sessions, including those that are being opened. */
  size: number;
  /** Users that may wait for a session; past that they are turned away at once. */
  line: number;
  waitMs: number;
}

/**
 * Opening a session takes a few milliseconds. A slower attempt may hang, for example on a dead server.
 * The pool then opens another session beside it while users wait.
 */
const OPEN_ANOTHER_MS = 250;
/** If all attempts hang, places are left for others. */
const OPENED_AT_ONCE = 3;

/**
 * At most `size` sessions. A user who finds none free waits in a line that is bounded in length and
 * time. A session belongs to nobody while it is opened: the first in line gets whichever is ready
 * first.
 */
export function createPool(
  { size, line: longest, waitMs }: PoolLimits,
  open: () => Promise<Session>,
): Pool {
  let free: Session[] = [];
  const lent = new Map<Session, Promise<unknown> | undefined>();
  const opening = new Set<Promise<void>>();
  const front = new Line<Session>({ longest: Number.POSITIVE_INFINITY, waitMs });
  const line = new Line<Session>({ longest, waitMs });
  let openingBeside: NodeJS.Timeout | undefined;
  let closed = false;

  const waiting = () => front.length + line.length;
  const firstLine = () => (front.length > 0 ? front : line);

  function openAnother() {
    if (closed || lent.size + free.length + opening.size >= size) return;
    const attempt: Promise<void> = open().then(
      (session) => {
        opening.delete(attempt);
        give(session);
        openForLine();
      },
      (error) => {
        opening.delete(attempt);
        // A session that is lent or being opened may still come to the first in line.
        if (lent.size > 0 || opening.size > 0) return;
        firstLine().fail(error);
        openForLine();
      },
    );
    opening.add(attempt);
  }

  function openForLine() {
    if (waiting() > opening.size && opening.size < OPENED_AT_ONCE) openAnother();
  }

  /** The first in line gets the session. So no session is free while somebody waits. */
  function give(session: Session) {
    if (closed) void session.close(0);
    else if (!session.isAlive()) openForLine();
    else if (waiting() === 0) free.push(session);
    else {
      lent.set(session, undefined);
      firstLine().serve(session);
    }
  }

  async function standIn(own: Line<Session>): Promise<Session> {
    if (own.isFull) throw nothingRan(new Error('too many wait for a session'));
    const served = own.wait();
    openingBeside ??= setInterval(openAnother, OPEN_ANOTHER_MS);
    openForLine();
    try {
      const session = await served;
      if (typeof session !== 'string') return session;
      throw nothingRan(new Error('no session became free in time'));
    } finally {
      if (waiting() === 0) {
        clearInterval(openingBeside);
        openingBeside = undefined;
      }
    }
  }

  /** A connection may be lost while nobody uses it: then a new session takes its place. */
  function takeFree(): Session | undefined {
    free = free.filter((session) => session.isAlive());
    const session = free.pop();
    if (session) lent.set(session, undefined);
    return session;
  }

  /** After a switchover, free sessions lead to the same useless server, and would fail one by one. */
  function closeFree() {
    for (const session of free) void session.close(0);
    free = [];
  }

  const lendTo =
    (own: Line<Session>): Lend =>
    async (use) => {
      if (closed) throw nothingRan(new Error('the pool is closed'));
      const session = takeFree() ?? (await standIn(own));
      // The session has to be known as in use before `use` runs, which may close the pool.
      const used = Promise.resolve(session).then(use);
      lent.set(session, used);
      try {
        return await used;
      } catch (error) {
        if (isCausedBy(error, NO_ANSWER) || isCausedBy(error, SQLSTATE.readOnlyTransaction))
          closeFree();
        throw error;
      } finally {
        lent.delete(session);
        give(session);
      }
    };

  return {
    load: () => ({ lent: lent.size, waiting: waiting() }),
    lend: lendTo(line),
    lendFirst: lendTo(front),
    async close(patienceSeconds) {
      closed = true;
      while (waiting() > 0) firstLine().fail(nothingRan(new Error('the pool is closed')));
      const settled = Promise.allSettled([...lent.values(), ...opening]);
      await inTime(settled, patienceSeconds * 1000, () => undefined);
      await Promise.all([...free, ...lent.keys()].map((session) => session.close(0)));
    },
  };
}
