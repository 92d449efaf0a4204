import { inTime } from '../waiting/deadline.ts';
import { Line } from '../waiting/line.ts';
import type { Session } from './session.ts';
import { isCausedBy, NO_ANSWER, nothingRan, SQLSTATE } from './sqlstate.ts';

/** Shared sessions. Each session is lent to one user at a time, and is opened when first needed. */
export interface Pool {
  /**
   * Throws with the code NOTHING_RAN if no session is free in time, or the pool is closed. Throws
   * the error of `open` if no session can be opened.
   */
  lend: Lend;
  /**
   * The same for a few privileged users. They get a session before all users of `lend`, and their
   * line has no bound.
   */
  lendFirst: Lend;
  /** Stops lending and ends all sessions. Sessions in use get this many seconds. */
  close(patienceSeconds: number): Promise<void>;
  /** How many sessions are lent, and how many users wait for one. */
  load(): { lent: number; waiting: number };
}

export type Lend = <T>(use: (session: Session) => Promise<T>) => Promise<T>;

export interface PoolLimits {
  /** The largest number of sessions, including those that are being opened. */
  size: number;
  /** How many users may wait for a session. Further users are refused at once. */
  line: number;
  waitMs: number;
}

/**
 * Opening a session takes a few milliseconds. A slower attempt may hang, for example on a dead
 * server. While users wait, the pool then opens another session beside it.
 */
const OPEN_ANOTHER_MS = 250;
/** A bound on attempts, so that hanging attempts do not use up all places. */
const OPENED_AT_ONCE = 3;

/**
 * Lends at most `size` sessions. A user who finds none free waits in a line, bounded in length and
 * time. A session that is being opened belongs to no user: the first in line gets the first session
 * that is ready.
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
        // A session that is in use or being opened may still reach the first in line.
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

  /** Gives the session to the first in line. Therefore no session is free while somebody waits. */
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

  /** A connection may be lost while nobody uses it. A new session then takes its place. */
  function takeFree(): Session | undefined {
    free = free.filter((session) => session.isAlive());
    const session = free.pop();
    if (session) lent.set(session, undefined);
    return session;
  }

  /**
   * After a switchover, the free sessions all lead to the same useless server and would fail one by
   * one.
   */
  function closeFree() {
    for (const session of free) void session.close(0);
    free = [];
  }

  const lendTo =
    (own: Line<Session>): Lend =>
    async (use) => {
      if (closed) throw nothingRan(new Error('the pool is closed'));
      const session = takeFree() ?? (await standIn(own));
      // Mark the session as in use before `use` runs, because `use` may close the pool.
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
