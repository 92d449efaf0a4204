import { setTimeout as pause } from 'node:timers/promises';
import { arrayOf } from '../../../db/arrays.ts';
import { noDatabase, noLend } from '../gate-of.ts';
import { noRightToSet, Stage, type StageSession, SUPERUSERS_PARAMETERS } from '../stage.ts';
import type { Trial } from '../trial.ts';
import { WireSession } from './session.ts';

export interface WireSettings {
  /** How many sessions have an address. */
  sessions: number;
  /**
   * Whether the database has the functions of the lab's time. Programs then call the lab's `now()`, so
   * time may pass for them. By default false.
   */
  hasLabTime?: boolean;
  /**
   * How long a program may do nothing before we assume that it waits for another session. Processes
   * share no memory, so by default these are five seconds. Programs of one process need less.
   */
  patienceMs?: number;
  /**
   * Called with each remark for a person, such as `S1: a statement that no run asked for: select 1`.
   * Each remark comes once.
   */
  onRemark?: (remark: string) => void;
}

/**
 * A stage whose sessions are programs in any language. Each session has an address, and its program
 * connects there as to a server. The programs of a trial on this stage take no `db`: each makes its
 * program act, and returns the answer.
 *
 *     const stage = new WireStage(url, { sessions: 2 });
 *     await stage.listen();
 *     // Start two copies of the program, with DATABASE_URL = stage.addresses[0] and [1].
 *     await explore(stage, { setUp, sessions: [() => ask(1), () => ask(2)], judge });
 *     await stage.close();
 */
export class WireStage extends Stage {
  readonly #wires: WireSession[];
  readonly #remarks = new Set<string>();
  readonly #rehearsed = new WeakSet<Trial>();
  #addresses: string[] = [];

  constructor(url: string, { sessions, hasLabTime = false, ...settings }: WireSettings) {
    super(url);
    const { hostname: host, port } = new URL(url);
    const remark = (said: string) => {
      if (this.#remarks.has(said) || this.#remarks.size === MOST_REMARKS) return;
      this.#remarks.add(said);
      settings.onRemark?.(said);
    };
    const around = {
      server: { host, port: Number(port) || USUAL_PORT },
      hasLabTime,
      patienceMs: settings.patienceMs ?? PATIENCE_MS,
      terminate: (pids: number[]) => this.run(TERMINATE, [arrayOf(pids)]).catch(() => undefined),
      remark,
    };
    this.#wires = Array.from(
      { length: sessions },
      (_, index) => new WireSession(index + 1, around),
    );
  }

  /** The DATABASE_URL of each session's program. */
  get addresses(): readonly string[] {
    return this.#addresses;
  }

  /** The remarks for a person, such as statements that no run asked for. Each comes once. */
  get remarks(): readonly string[] {
    return [...this.#remarks];
  }

  /** Opens the addresses. After an error, the stage must still be closed. */
  async listen() {
    await this.#alterDatabase((setting, value) => `set ${setting} = '${value}'`);
    for (const wire of this.#wires) {
      const address = new URL(this.url);
      address.hostname = '127.0.0.1';
      address.port = String(await wire.listen());
      address.searchParams.set('sslmode', 'disable');
      this.#addresses.push(address.href);
    }
  }

  /** The settings of the engine are defaults of the database, since they hold for all accounts. */
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

  /** The first time, each program of the trial runs once alone. Its first statements are then over. */
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
      const alone = () => program(noDatabase, pause, (_, act) => Promise.resolve(act()), noLend);
      await this.#wires[index]?.rehearse(alone);
    }
  }

  /** The sessions of the programs. Any further sessions are our own. */
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

const PATIENCE_MS = 5_000;
const USUAL_PORT = 5432;
/** A program that floods us has the same fault again and again. */
const MOST_REMARKS = 100;
const TERMINATE = 'select pg_terminate_backend(pid, 5000) from unnest($1::int[]) pid';
const SETTINGS = { ...SUPERUSERS_PARAMETERS, client_min_messages: 'log' };
