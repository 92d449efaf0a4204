import { inTime } from '../waiting/deadline.ts';
import { Line } from '../waiting/line.ts';
import type { Session } from './session.ts';
import { isCausedBy, NO_ANSWER, nothingRan, SQLSTATE } from './sqlstate.ts';

/**
 * Sessions that many users share. Each session is lent to one user at a time. A session is opened
 * when it is first needed.
 */
export interface Pool {
  /**
   * Lends a session to `use`. Throws the error of `open` if no session can be opened. Throws an
   * error with the code NOTHING_RAN in three cases: no session becomes free in time, too many users
   * wait, or the pool is closed.
   */
  lend: Lend;
  /**
   * Lends a session to a privileged user. Privileged users get a session before all waiting users
   * of `lend`. Any number of privileged users may wait.
   */
  lendFirst: Lend;
  /**
   * Lends no more sessions, and closes all sessions. A session in use stays open until its user has
   * ended, but at most for `patienceSeconds`.
   */
  close(patienceSeconds: number): Promise<void>;
  /** Returns the number of lent sessions, and the number of users that wait for a session. */
  load(): { lent: number; waiting: number };
}

export type Lend = <T>(use: (session: Session) => Promise<T>) => Promise<T>;

export interface PoolLimits {
  /** The maximum number of sessions. A session that is being opened counts too. */
  size: number;
  /** The maximum number of users that wait for a session. Further users are refused immediately. */
  line: number;
  waitMs: number;
}

/**
 * While users wait, the pool starts another attempt to open a session after each interval of this
 * length. Opening takes a few milliseconds, but an attempt may hang, for example on a dead server.
 */
const OPEN_ANOTHER_MS = 250;
/**
 * The pool starts an attempt without delay only if fewer than this number of attempts are running.
 * Otherwise hanging attempts could fill the pool.
 */
const OPENED_AT_ONCE = 3;

/**
 * Lends at most `size` sessions. If no session is free, a user waits in a line. The length of the
 * line and the time of each wait are limited. A session that is being opened belongs to no user.
 * The first user in the line gets the first session that is ready.
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
        // Another session is in use or is being opened. The first user in the line may still get
        // this session.
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

  /**
   * Gives the session to the first user in the line. A session becomes free only if nobody waits.
   */
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
    if (own.isFull) throw nothingRan(new Error('too many users wait for a session'));
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

  /** Takes a free session for a user. First drops the free sessions whose connection was lost. */
  function takeFree(): Session | undefined {
    free = free.filter((session) => session.isAlive());
    const session = free.pop();
    if (session) lent.set(session, undefined);
    return session;
  }

  /**
   * Closes all free sessions. After a switchover, all free sessions lead to the old server, and
   * would fail one after another.
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
