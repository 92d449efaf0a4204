import { arrayOf } from '../platform/db/array-text.ts';
import { READ_COMMITTED } from '../platform/db/parameters.ts';
import {
  type Codecs,
  openSession,
  type Rows,
  type Session,
  type SessionSettings,
} from '../platform/db/session.ts';
import { databaseError, SQLSTATE } from '../platform/db/sqlstate.ts';
import { PlainError } from '../platform/process/errors.ts';
import type { Databases } from './databases.ts';
import type { Gatekeeper, Guard, IsDoomed } from './gatekeeper.ts';
import { Leftovers } from './leftovers.ts';
import type { StepModel } from './step.ts';
import { LAB_TIME, PASS_TIME, RESET_TIME } from './time.ts';
import type { Trial } from './trial.ts';

/** A session of the stage, with the process id of its backend. */
export interface StageSession {
  session: Session;
  pid: number;
  /** Called when the server says that this session waits for a lock. */
  onWaiting: () => void;
  /** Undefined if the program sends its statements through `session`. */
  remote?: Remote;
}

/** A program that opens its own connections to PostgreSQL, such as a program in another process. */
export interface Remote {
  /**
   * The process ids of all backends of the program. `pid` of the session is the backend that runs
   * the present step.
   */
  readonly pids: readonly number[];
  /**
   * If the program does nothing for longer than this time, we assume that the program waits for
   * another session.
   */
  readonly patienceMs: number;
  /**
   * Called if a step waits for a lock that another connection of the same session holds. Starts the
   * step that the session wants to make on its other connection. Returns false if there is no such
   * step.
   */
  goBeside(): boolean;
  /** Puts a gate between the program and PostgreSQL, for one schedule. */
  guard(keeper: Gatekeeper, model: StepModel, isDoomed?: IsDoomed): Guard;
  /** Runs the program. The session ends when all connections of the program are idle. */
  run(program: () => Promise<unknown>): Promise<unknown>;
}

/**
 * After this time a waiting session searches for a deadlock, once in each wait, and reports that it
 * waits. When a session closes a circle of waits, the other sessions have already searched. So this
 * last session always finds the deadlock.
 */
const DEADLOCK_TIMEOUT_MS = 1;

/** The settings of the explorer that only a superuser may make. */
export const SUPERUSERS_PARAMETERS = {
  // PostgreSQL reports "still waiting" after deadlock_timeout. We wait for this report, so we need
  // no clock.
  log_lock_waits: 'on',
  log_min_messages: 'fatal',
  lc_messages: 'C',
  deadlock_timeout: DEADLOCK_TIMEOUT_MS,
};

/** The settings of the explorer that each account may make. */
export const EVERYBODYS_PARAMETERS = {
  ...READ_COMMITTED,
  client_min_messages: 'log',
  lock_timeout: 0,
  statement_timeout: 0,
};

/** The settings that decide what a statement does, and which session a deadlock aborts. */
export const RULES = {
  ...EVERYBODYS_PARAMETERS,
  ...LAB_TIME,
  deadlock_timeout: DEADLOCK_TIMEOUT_MS,
};

const PARAMETERS = { ...RULES, ...SUPERUSERS_PARAMETERS };

/** The limits of a schedule. */
export interface Limits {
  /** The maximum number of steps. A session that needs more steps retries for ever. */
  steps: number;
  /**
   * The maximum time without a change while a statement runs. A statement on a few rows takes far
   * less time, so a longer statement has a fault.
   */
  stepMs: number;
}

export const USUAL_LIMITS: Limits = { steps: 200, stepMs: 10_000 };

/** The settings of a stage whose programs are not trusted. */
export interface StageSettings {
  /**
   * The session that the explorer uses to ask which sessions wait, and to end sessions. The account
   * of this session has more rights than the accounts of the other sessions.
   */
  keeper: Session;
  /**
   * The session that sets up the tables, and judges them. By default it has the account of the
   * programs.
   */
  admin?: Session;
  /** The settings of the sessions, and of the default `admin`. */
  settings: Omit<SessionSettings, 'url' | 'onNotice'>;
}

/**
 * The connections on which schedules are played, one schedule after the other. The connections stay
 * open between schedules.
 */
export class Stage {
  readonly databases: Databases;
  /** Sets up the tables, and judges them. */
  readonly admin: Session;
  readonly url: string;
  limits = USUAL_LIMITS;
  /**
   * The time after which a waiting session has surely searched for a deadlock. 0 if the server
   * reports the end of this search.
   */
  deadlockSearchMs = 0;
  /** The session for the explorer's own questions and commands. */
  readonly #keeper: Session;
  readonly #settings: StageSettings['settings'];
  /**
   * The texts that clean a session. One text with all statements saves a sixth of the processor
   * time of a schedule. A sandbox refuses such a text, so there each statement is a text of its
   * own.
   */
  readonly #clean: readonly string[];
  #sessions: OwnSession[] = [];
  /** Whether a session may have left something that only the texts of `#clean` remove. */
  #isUnusual: boolean;
  /** Whether the clock may be ahead. An earlier stage may have left the clock of this database ahead. */
  #mayBeAhead = true;

  constructor(url: string, databases: Databases, untrusted?: StageSettings) {
    this.url = url;
    this.databases = databases;
    this.#settings = untrusted?.settings ?? { parameters: PARAMETERS };
    this.#isUnusual = untrusted !== undefined;
    this.#clean = this.#settings.oneStatement ? CLEAN : [CLEAN.join('; ')];
    const plain: Codecs = { parsers: {}, serializers: {} };
    this.admin =
      untrusted?.admin ?? openSession({ ...untrusted?.settings, url, prepare: true }, plain);
    this.#keeper = untrusted?.keeper ?? this.admin;
  }

  /**
   * Returns sessions without a transaction or a lock. Replaces lost sessions. Sets the clock back
   * to the real time.
   */
  async sessions(count: number): Promise<StageSession[]> {
    await this.clean();
    if (this.#mayBeAhead) await this.run(RESET_TIME);
    this.#mayBeAhead = false;
    const alive = this.#sessions;
    while (alive.length < count) alive.push(await this.#open());
    return alive.slice(0, count);
  }

  async #open(): Promise<OwnSession> {
    const opened = await openStageSession(this.url, this.databases.codecs, this.#settings);
    const leftovers = new Leftovers(opened.session, () => {
      this.#isUnusual = true;
    });
    return Object.assign(opened, { session: leftovers.session, leftovers });
  }

  /**
   * Ends open transactions, releases all locks, and forgets lost sessions. Most schedules leave
   * nothing, so most sessions need no statement.
   */
  async clean() {
    this.#sessions = this.#sessions.filter(({ session }) => session.isAlive());
    const used = this.#sessions.filter(({ leftovers }) => this.#isUnusual || leftovers.isOpen);
    await Promise.all(used.map(({ leftovers }) => leftovers.remove(this.#clean)));
  }

  /** Ends all sessions except `admin`, even busy sessions. */
  async abandon() {
    const pids = this.#sessions.map(({ pid }) => pid);
    this.#sessions = [];
    if (pids.length)
      await this.run('select pg_terminate_backend(pid, 5000) from unnest($1::int[]) pid', [
        arrayOf(pids),
      ]);
  }

  /** Called before each schedule of a trial, before the tables are set up. */
  async prepare(_trial: Trial) {}

  /** Moves the clock of all sessions ahead, without a real wait. */
  async passTime() {
    this.#mayBeAhead = true;
    await this.run(PASS_TIME);
  }

  /**
   * Whether the open transaction of this backend has written to the table. Each write locks its
   * table until the end of the transaction, even a write that a function makes. We ask in another
   * session, because a question in the session itself could take a snapshot.
   */
  async hasWritten(pid: number, table: string): Promise<boolean> {
    const [row] = await this.run(HAS_WRITTEN, [pid, table]);
    return (row as { written: boolean }).written;
  }

  run(text: string, params: unknown[] = []): Promise<Rows> {
    return this.#keeper.run(statement(text, params));
  }

  async close() {
    const sessions = this.#sessions.map(({ session }) => session);
    await Promise.all([this.admin, this.#keeper, ...sessions].map((each) => each.close(0)));
  }
}

/** A session that the stage itself has opened. */
interface OwnSession extends StageSession {
  leftovers: Leftovers;
}

/** Opens a session of a stage. */
export async function openStageSession(
  url: string,
  codecs: Codecs,
  settings: StageSettings['settings'] = { parameters: PARAMETERS },
): Promise<StageSession> {
  const unused = () => undefined;
  const opened: StageSession = { session: undefined as never, pid: 0, onWaiting: unused };
  const onNotice = ({ routine, message }: { routine?: string; message?: string }) => {
    if (routine === 'ProcSleep' && message?.includes('still waiting')) opened.onWaiting();
  };
  opened.session = openSession({ ...settings, url, prepare: true, onNotice }, codecs);
  try {
    const [row] = await opened.session.run(statement('select pg_backend_pid() as pid'));
    opened.pid = (row as { pid: number }).pid;
  } catch (error) {
    throw noRightToSet(error);
  }
  return opened;
}

/**
 * Returns a readable error if the account has no right to make the settings of the explorer.
 * Returns any other error unchanged.
 */
export function noRightToSet(error: unknown): unknown {
  if (databaseError(error)?.code !== SQLSTATE.insufficientPrivilege) return error;
  return new PlainError(
    'The account in DATABASE_URL has no right to set deadlock_timeout and log_lock_waits. ' +
      'Unset DATABASE_URL to explore on the embedded PostgreSQL.',
    { cause: error },
  );
}

const HAS_WRITTEN = `select exists (select from pg_locks
  where pid = $1 and relation = $2::regclass and mode = 'RowExclusiveLock') as written`;

/** Removes everything that one schedule could leave to the next schedule. */
const CLEAN = [
  'rollback',
  'reset all',
  'unlisten *',
  'discard temp',
  'select pg_advisory_unlock_all()',
];

const statement = (text: string, params: unknown[] = []) => ({ text, params, asArrays: false });
