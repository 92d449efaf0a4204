import { BEGIN } from '../../db/parameters.ts';
import type { Rows, Session, Statement } from '../../db/session.ts';
import { RolledBackByTrial } from './trial.ts';

/** The rules for steps. The counts of schedules depend on them. docs/explorer.md explains them. */
export interface StepModel {
  /** BEGIN takes no snapshot and no lock, so by default it goes with the statement after it. */
  beginIsStep: boolean;
  /** A write outside a transaction executes and then commits. Others may come in between. */
  loneWriteIsTwo: boolean;
}

export const STEP_MODEL: StepModel = { beginIsStep: false, loneWriteIsTwo: true };

/** One step of a session, as it stands before the gate. */
export interface Step {
  text: string;
  params: unknown[];
  isolation: Isolation;
}

export type Isolation = 'read committed' | 'repeatable read' | 'serializable';

/** The transaction of the step keeps the snapshot of its first statement. */
export const keepsSnapshot = ({ isolation }: Step): boolean => isolation !== 'read committed';

/** The scheduler's side of a gate. */
export interface Gatekeeper {
  /** Resolves when the scheduler lets this step go. */
  arrive(step: Step): Promise<void>;
  /** The statements of the step have come back, with the rows of the last statement or an error. */
  leave(result: { rows: Rows } | { error: unknown }): void;
}

/** Statements that take neither a snapshot nor a lock, so there is nothing to choose about them. */
const PREPARATORY = /^(begin|start transaction|set transaction|savepoint|release savepoint)\b/i;
const WRITES = /\b(insert|update|delete|merge|share)\b/i;

/**
 * A session that pauses before each step until the scheduler lets it go. The gate takes the place of
 * production's plain session, below Drizzle. So the code above the gate is exactly production's.
 */
export class Gate implements Session {
  readonly #inner: Session;
  readonly #keeper: Gatekeeper;
  readonly #model: StepModel;
  #rollsBackAfter: RegExp | undefined;
  /** Preparatory statements that wait for their step. */
  #held: Statement[] = [];
  #inTransaction = false;
  /** The strategy itself began the transaction. The gate begins one for a lone write. */
  #isBegun = false;
  #lent: Promise<unknown> = Promise.resolve();
  #sent: Promise<unknown> = Promise.resolve();
  #isolation: Isolation = 'read committed';
  #doomed = false;

  constructor(inner: Session, keeper: Gatekeeper, model: StepModel, rollsBackAfter?: RegExp) {
    this.#inner = inner;
    this.#keeper = keeper;
    this.#model = model;
    this.#rollsBackAfter = rollsBackAfter;
  }

  isAlive(): boolean {
    return this.#inner.isAlive();
  }

  close(patienceSeconds: number): Promise<void> {
    return this.#inner.close(patienceSeconds);
  }

  /**
   * Lends itself to one user after the other, as a pool of one. A larger pool would lend a second
   * connection inside a transaction, and the program could then wait for its own locks.
   */
  async lend<T>(use: (session: Session) => Promise<T>): Promise<T> {
    if (this.#isBegun) throw new Error('db was used inside a transaction of db: use its tx');
    const used = this.#lent.then(() => use(this));
    this.#lent = used.catch(() => undefined);
    return used;
  }

  /** Statements that are sent together run one after the other, as on any connection. */
  run(statement: Statement): Promise<Rows> {
    const rows = this.#sent.then(() => this.#run(statement));
    this.#sent = rows.catch(() => undefined);
    return rows;
  }

  async #run(statement: Statement): Promise<Rows> {
    const text = statement.text.trim();
    if (/^(begin|start)\b/i.test(text)) this.#inTransaction = this.#isBegun = true;
    const level = /isolation level (repeatable read|serializable)/i.exec(text)?.[1];
    if (level) this.#isolation = level.toLowerCase() as Isolation;
    if (PREPARATORY.test(text) && !this.#model.beginIsStep) {
      this.#held.push(statement);
      return nothing(text.split(' ')[0]?.toUpperCase() ?? '');
    }
    if (/^rollback$/i.test(text) && !this.#inTransaction) return nothing('ROLLBACK');
    if (/^rollback$/i.test(text)) return this.#end(statement);
    if (/^commit$/i.test(text)) return this.#doomed ? this.#rollBack() : this.#end(statement);
    this.#doomed ||= this.#rollsBackAfter?.test(text) ?? false;
    if (this.#inTransaction || !WRITES.test(text) || !this.#model.loneWriteIsTwo)
      return this.#step(statement);
    return this.#loneWrite(statement);
  }

  async #end(statement: Statement): Promise<Rows> {
    try {
      return await this.#step(statement);
    } finally {
      this.#forgetTransaction();
    }
  }

  #forgetTransaction() {
    this.#inTransaction = false;
    this.#isBegun = false;
    this.#isolation = 'read committed';
    this.#doomed = false;
  }

  /** Rolls back once. Another try commits. */
  async #rollBack(): Promise<Rows> {
    this.#rollsBackAfter = undefined;
    await this.#end(command('rollback'));
    throw new RolledBackByTrial('the trial rolled this transaction back');
  }

  /** Runs a lone write in a transaction, as PostgreSQL does, but with a pause before the commit. */
  async #loneWrite(statement: Statement): Promise<Rows> {
    this.#held = [command(BEGIN)];
    this.#inTransaction = true;
    const rows = await this.#step(statement, () => {
      this.#forgetTransaction();
      return this.#inner.run(command('rollback'));
    });
    await (this.#doomed ? this.#rollBack() : this.#end(command('commit')));
    return rows;
  }

  async #step(statement: Statement, undo?: () => Promise<unknown>): Promise<Rows> {
    const statements = [...this.#held, statement];
    this.#held = [];
    const text = statement.text.trim();
    const { params } = statement;
    await this.#keeper.arrive({ text, params, isolation: this.#isolation });
    try {
      const results = await Promise.all(statements.map((each) => this.#inner.run(each)));
      const rows = results.at(-1) as Rows;
      this.#keeper.leave({ rows });
      return rows;
    } catch (error) {
      if (this.#inner.isAlive()) await undo?.();
      this.#keeper.leave({ error });
      throw error;
    }
  }
}

/** The answer to a statement that is not sent now. */
const nothing = (command: string): Rows => Object.assign([], { command });

const command = (text: string): Statement => ({ text, params: [], asArrays: false });
