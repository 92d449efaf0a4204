import { arrayOf } from '../../db/arrays.ts';
import { databaseOver } from '../../db/client.ts';
import { READ_COMMITTED } from '../../db/parameters.ts';
import { type Codecs, openSession, type Rows, type Session } from '../../db/session.ts';
import { databaseError, SQLSTATE } from '../../db/sqlstate.ts';
import { PlainError } from '../../process/errors.ts';
import { LAB_TIME, PASS_TIME, RESET_TIME } from './time.ts';

/** A session of the stage, with the process id of its backend. */
export interface StageSession {
  session: Session;
  pid: number;
  /** Called when the server says that this session waits for a lock. */
  onWaiting: () => void;
}

/**
 * After this time a waiting session searches for a deadlock, once in each wait, and reports that it
 * waits. When a session closes a circle of waits, the others have already searched. So this last
 * session always finds the deadlock.
 */
const DEADLOCK_TIMEOUT_MS = 1;

/** The settings that decide what a statement does, and which session a deadlock aborts. */
export const RULES = {
  ...READ_COMMITTED,
  ...LAB_TIME,
  deadlock_timeout: DEADLOCK_TIMEOUT_MS,
  lock_timeout: 0,
  statement_timeout: 0,
};

const PARAMETERS = {
  ...RULES,
  // PostgreSQL reports "still waiting" after deadlock_timeout. This is an event, so we need no clock.
  log_lock_waits: 'on',
  client_min_messages: 'log',
  log_min_messages: 'fatal',
  lc_messages: 'C',
};

/**
 * The connections on which schedules are played, one schedule after the other. The connections stay
 * open between schedules.
 */
export class Stage {
  readonly codecs: Codecs = { parsers: {}, serializers: {} };
  readonly admin: Session;
  readonly url: string;
  #sessions: StageSession[] = [];
  #hasTimePassed = false;

  constructor(url: string) {
    this.url = url;
    // A session copies the codecs when it is opened. So Drizzle must write its own codecs before.
    databaseOver({ lend: () => Promise.reject(new Error('no session')) }, this.codecs);
    this.admin = openSession({ url, prepare: true }, { parsers: {}, serializers: {} });
  }

  /**
   * Returns sessions without a transaction or a lock. Replaces lost sessions. The time is the real
   * time.
   */
  async sessions(count: number): Promise<StageSession[]> {
    await this.clean();
    if (this.#hasTimePassed) await this.run(RESET_TIME);
    this.#hasTimePassed = false;
    const alive = this.#sessions;
    while (alive.length < count) alive.push(await openStageSession(this.url, this.codecs));
    return alive.slice(0, count);
  }

  /** Ends open transactions, releases all locks, and forgets lost sessions. */
  async clean() {
    this.#sessions = this.#sessions.filter(({ session }) => session.isAlive());
    await Promise.all(this.#sessions.map(({ session }) => session.run(statement(CLEAN))));
  }

  /** Ends all sessions except `admin`, even busy ones. */
  async abandon() {
    const pids = this.#sessions.map(({ pid }) => pid);
    this.#sessions = [];
    if (pids.length)
      await this.run('select pg_terminate_backend(pid, 5000) from unnest($1::int[]) pid', [
        arrayOf(pids),
      ]);
  }

  /** Lets time pass for all sessions. Nobody waits. */
  async passTime() {
    this.#hasTimePassed = true;
    await this.run(PASS_TIME);
  }

  run(text: string, params: unknown[] = []): Promise<Rows> {
    return this.admin.run(statement(text, params));
  }

  async close() {
    await Promise.all(
      [this.admin, ...this.#sessions.map(({ session }) => session)].map((each) => each.close(0)),
    );
  }
}

/** Opens a session of a stage. */
export async function openStageSession(url: string, codecs: Codecs): Promise<StageSession> {
  const unused = () => undefined;
  const opened: StageSession = { session: undefined as never, pid: 0, onWaiting: unused };
  const onNotice = ({ routine, message }: { routine?: string; message?: string }) => {
    if (routine === 'ProcSleep' && message?.includes('still waiting')) opened.onWaiting();
  };
  opened.session = openSession({ url, parameters: PARAMETERS, prepare: true, onNotice }, codecs);
  try {
    const [row] = await opened.session.run(statement('select pg_backend_pid() as pid'));
    opened.pid = (row as { pid: number }).pid;
  } catch (error) {
    if (databaseError(error)?.code !== SQLSTATE.insufficientPrivilege) throw error;
    throw new PlainError(
      'The account in DATABASE_URL has no right to set deadlock_timeout and log_lock_waits. ' +
        'Unset DATABASE_URL to explore on the embedded PostgreSQL.',
      { cause: error },
    );
  }
  return opened;
}

/** Removes everything that one schedule could leave to the next schedule. */
const CLEAN = 'rollback; reset all; unlisten *; discard temp; select pg_advisory_unlock_all()';

const statement = (text: string, params: unknown[] = []) => ({ text, params, asArrays: false });
