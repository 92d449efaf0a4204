import { setTimeout as pause } from 'node:timers/promises';
import { arrayOf } from '../../platform/db/array-text.ts';
import { takeTls } from '../../platform/db/hosts.ts';
import { PlainError } from '../../platform/process/errors.ts';
import { nameFrom } from '../choice.ts';
import type { Databases } from '../databases.ts';
import { noLend } from '../gate-of.ts';
import {
  type Limits,
  noRightToSet,
  Stage,
  type StageSession,
  SUPERUSERS_PARAMETERS,
  USUAL_LIMITS,
} from '../stage.ts';
import type { Trial } from '../trial.ts';
import { WireSession } from './session.ts';

export interface WireSettings {
  /** The number of sessions with an address. */
  sessions: number;
  /** The names of the sessions. By default `S1` and so on. */
  names?: readonly string[];
  /** The databases of the local sessions. */
  databases: Databases;
  /**
   * Whether the database has the functions of the explorer's clock. Programs then call the
   * explorer's `now()`, so time may pass for them. By default false.
   */
  hasLabTime?: boolean;
  /**
   * The time after which we assume that an inactive program waits for another session. Separate
   * processes share no memory, so such waits are rare, and the default is five seconds. For
   * programs in one process, less time is enough.
   */
  patienceMs?: number;
  /** The maximum wait for a program that runs alone. By default twice `patienceMs`. */
  aloneMs?: number;
  /**
   * The sessions (from 1) whose programs run in this process. If such a program loses its connection,
   * it first gets errors, because some drivers end the process if a socket closes.
   */
  locals?: readonly number[];
  /** Called when a program must end, because nobody waits for its answer. */
  onLeave?: (session: number) => void;
  limits?: Partial<Limits>;
  /** The maximum number of connections of a session. */
  connections?: number;
  /**
   * Whether the account may lack the right to the explorer's settings. Then the explorer asks
   * PostgreSQL again and again which sessions wait. Each wait takes longer by `deadlock_timeout`.
   */
  mayLackRights?: boolean;
  /**
   * Called with each remark for a person, such as `S1: a statement that no run asked for: select
   * 1`. Each remark is reported only once.
   */
  onRemark?: (remark: string) => void;
}

/**
 * A stage whose sessions are programs in any language. Each session has an address, to which its
 * program connects as to a PostgreSQL server. The functions in `sessions` of a trial on this stage
 * do not use `db`. Each function sends a request to its program, and returns the answer.
 *
 *     const stage = new WireStage(url, { sessions: 2, databases: drizzleDatabases() });
 *     await stage.listen();
 *     // Start two copies of the program, with DATABASE_URL = stage.addresses[0] and [1].
 *     await explore(stage, { setUp, sessions: [() => ask(1), () => ask(2)], judge });
 *     await stage.close();
 */
export class WireStage extends Stage {
  readonly #wires: WireSession[];
  readonly #remarks = new Set<string>();
  readonly #rehearsed = new WeakSet<Trial>();
  readonly #mayLackRights: boolean;
  #addresses: string[] = [];

  constructor(url: string, { sessions, databases, hasLabTime = false, ...settings }: WireSettings) {
    super(url, databases);
    this.limits = { ...USUAL_LIMITS, ...settings.limits };
    this.#mayLackRights = settings.mayLackRights ?? false;
    const remark = (said: string) => {
      if (this.#remarks.has(said) || this.#remarks.size === MOST_REMARKS) return;
      this.#remarks.add(said);
      settings.onRemark?.(said);
    };
    const around = {
      serverUrl: url,
      hasLabTime,
      connections: settings.connections ?? MOST_CONNECTIONS,
      nameOf: nameFrom(settings.names),
      isLocal: (session: number) => settings.locals?.includes(session) ?? false,
      patienceMs: settings.patienceMs ?? PATIENCE_MS,
      aloneMs: settings.aloneMs ?? (settings.patienceMs ?? PATIENCE_MS) * PATIENCES_ALONE,
      onLeave: settings.onLeave ?? (() => undefined),
      terminate: (pids: number[]) => this.run(TERMINATE, [arrayOf(pids)]).catch(() => undefined),
      remark,
    };
    this.#wires = Array.from(
      { length: sessions },
      (_, index) => new WireSession(index + 1, around),
    );
  }

  /** The DATABASE_URL for the program of each session. */
  get addresses(): readonly string[] {
    return this.#addresses;
  }

  /**
   * The remarks for a person, such as statements that no run asked for. Each remark is in the list
   * once.
   */
  get remarks(): readonly string[] {
    return [...this.#remarks];
  }

  /** The sessions (from 1) whose programs have never sent a statement to their addresses. */
  get silent(): number[] {
    return this.#wires.flatMap(({ hasStepped }, index) => (hasStepped ? [] : index + 1));
  }

  /** Returns the number of open connections of a session (from 1). */
  connectionsOf(session: number): number {
    return this.#wires[session - 1]?.connections ?? 0;
  }

  /** Opens the addresses. Close the stage even after an error. */
  async listen() {
    try {
      await this.#alterDatabase((setting, value) => `set ${setting} = '${value}'`);
    } catch (error) {
      if (!this.#mayLackRights || !(error instanceof PlainError)) throw error;
      await this.#askForWaits();
    }
    for (const wire of this.#wires) {
      this.#addresses.push(addressAt(await wire.listen(), this.url));
    }
  }

  async #askForWaits() {
    const [row] = await this.run(DEADLOCK_TIMEOUT);
    this.deadlockSearchMs = (row as { ms: number }).ms + SEARCH_MS;
  }

  /**
   * Changes the defaults of the database, because the settings of the explorer must hold for all
   * accounts.
   */
  async #alterDatabase(change: (setting: string, value: string | number) => string) {
    try {
      const [row] = await this.run('select quote_ident(current_database()) as name');
      const { name } = row as { name: string };
      for (const [setting, value] of Object.entries(SETTINGS))
        await this.run(`alter database ${name} ${change(setting, value)}`);
    } catch (error) {
      throw noRightToSet(error);
    }
  }

  /**
   * Runs each program of a new trial once alone. Programs send some statements only on a new
   * connection. After this run the connections are open, so no schedule contains these statements.
   */
  override async prepare(trial: Trial): Promise<void> {
    if (this.#rehearsed.has(trial)) return;
    if (trial.sessions.length > this.#wires.length)
      throw new Error(
        `there are ${this.#wires.length} addresses for ${trial.sessions.length} sessions`,
      );
    this.#rehearsed.add(trial);
    for (const [index, program] of trial.sessions.entries()) {
      await this.sessions(this.#wires.length);
      await trial.setUp(this.admin);
      const alone = () =>
        program(this.databases.over(noLend), pause, (_, act) => Promise.resolve(act()), noLend);
      await this.#wires[index]?.rehearse(alone);
    }
  }

  /** Returns the sessions of the programs first. Any further session is a local session. */
  override async sessions(count: number): Promise<StageSession[]> {
    await Promise.all(this.#wires.map((wire) => wire.reset()));
    const own = await super.sessions(Math.max(0, count - this.#wires.length));
    return [...this.#wires.slice(0, count), ...own];
  }

  override async abandon() {
    await Promise.all(this.#wires.map((wire) => wire.cut()));
    await super.abandon();
  }

  override async close() {
    await Promise.all(this.#wires.map((wire) => wire.close()));
    // The database may be gone already.
    await this.#alterDatabase((setting) => `reset ${setting}`).catch(() => undefined);
    await super.close();
  }
}

/**
 * Returns the address of the gate at this port, for the database of `url`. The program's connection
 * to the gate is not encrypted, because it does not leave this computer.
 */
function addressAt(port: number, url: string): string {
  const address = new URL(url);
  takeTls(address);
  address.host = `127.0.0.1:${port}`;
  address.searchParams.set('sslmode', 'disable');
  return address.href;
}

const PATIENCE_MS = 5_000;
const PATIENCES_ALONE = 2;
/** The maximum number of remarks. A program with more remarks repeats the same fault. */
const MOST_REMARKS = 100;
/** The maximum number of connections of a session. Pools usually have ten connections. */
const MOST_CONNECTIONS = 20;
/** The maximum time of PostgreSQL's search for a deadlock, on a busy machine. */
const SEARCH_MS = 200;
const DEADLOCK_TIMEOUT = `select setting::int as ms from pg_settings where name = 'deadlock_timeout'`;
const TERMINATE = 'select pg_terminate_backend(pid, 5000) from unnest($1::int[]) pid';
const SETTINGS = { ...SUPERUSERS_PARAMETERS, client_min_messages: 'log' };
