import { BEGIN } from '../platform/db/parameters.ts';
import type { Rows, Session, Statement } from '../platform/db/session.ts';
import { type GatedSession, type Gatekeeper, type Guard, Unplayable } from './gatekeeper.ts';
import type { Isolation, Step, StepModel } from './step.ts';
import { withLabTime } from './time.ts';
import { AnswerLost, noteFailure, RolledBackByTrial } from './trial.ts';
import {
  hasControl,
  isWrite,
  PREPARATORY,
  releasesSessionLock,
  takesSessionLock,
} from './words.ts';

/**
 * A session that waits before each step until the scheduler starts the step. The first statement of
 * the program passes immediately, because the first choice of the scheduler has started the program
 * for this statement. In production, Drizzle uses a plain session. Here the gate takes the place of
 * this session, so all code above the gate is production code.
 */
export class Gate implements Session, Guard {
  readonly canFail = true;
  readonly #inner: GatedSession;
  readonly #keeper: Gatekeeper;
  readonly #model: StepModel;
  /**
   * Asks whether the trial rolls back the open transaction. Undefined if the trial rolls back no
   * further transaction of this session.
   */
  #askIsDoomed: (() => Promise<boolean>) | undefined;
  /** Preparatory statements that we send together with the next step. */
  #held: Statement[] = [];
  #inTransaction = false;
  /**
   * Whether the program itself began the open transaction. For an autocommit write, the gate begins
   * a transaction.
   */
  #isBegun = false;
  #lent: Promise<unknown> = Promise.resolve();
  #sent: Promise<unknown> = Promise.resolve();
  #isolation: Isolation = 'read committed';
  /** Whether the trial rolls back the open transaction. */
  #isDoomed = false;
  #isDead = false;
  /** Whether PostgreSQL runs a statement of this session. */
  #isSent = false;
  /**
   * Whether PostgreSQL has begun the transaction. False while BEGIN waits at the gate for the next
   * step.
   */
  #isOpen = false;
  /** Whether the session holds an advisory lock that outlives its transaction. */
  #hasSessionLock = false;

  constructor(
    inner: GatedSession,
    keeper: Gatekeeper,
    model: StepModel,
    askIsDoomed?: () => Promise<boolean>,
  ) {
    this.#inner = inner;
    this.#keeper = keeper;
    this.#model = model;
    this.#askIsDoomed = askIsDoomed;
  }

  isAlive(): boolean {
    return this.#inner.isAlive();
  }

  close(patienceSeconds: number): Promise<void> {
    return this.#inner.close(patienceSeconds);
  }

  get holdsSomething(): boolean {
    return (this.#isBegun && this.#isOpen) || this.#hasSessionLock;
  }

  get isBetweenHalves(): boolean {
    return this.#isOpen && !this.#isBegun && !this.#isSent;
  }

  /**
   * Kills the program of this session. No code of the program runs any more. PostgreSQL notices the
   * death only between two statements. Then it rolls back the open transaction, and releases the
   * locks of the session. An autocommit write that waits for a lock is a whole transaction, so
   * PostgreSQL still runs and commits the write.
   */
  async die() {
    this.#isDead = true;
    if (!this.#isSent) await this.#endAfterDeath();
  }

  async #endAfterDeath() {
    try {
      await this.#endTransaction();
    } catch (error) {
      // A dying program may still close its connection. PostgreSQL then ends everything itself.
      if (this.#inner.isAlive()) throw error;
    }
    this.#keeper.dead();
  }

  async #endTransaction() {
    if (this.#isOpen) {
      const end = command(this.#isBegun || !this.#inner.isAlive() ? 'rollback' : 'commit');
      const rows = await this.#inner.run(end);
      this.#keeper.leave({ rows }, { text: end.text, params: [], isolation: this.#isolation });
      this.#forgetTransaction();
    }
    await this.#inner.run(command('select pg_advisory_unlock_all()'));
  }

  /**
   * Lends this session to one user after the other, like a pool with one connection. We do not
   * offer a second connection inside a transaction, because the program could then wait for its own
   * locks.
   */
  async lend<T>(use: (session: Session) => Promise<T>): Promise<T> {
    if (this.#isBegun) {
      const error = new Unplayable(USED_INSIDE);
      this.#keeper.refuse(error);
      throw error;
    }
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
    const isPreparatory = PREPARATORY.test(text) && !this.#model.beginIsStep;
    if (this.#inner.passes && (isPreparatory || this.#inner.passes(statement)))
      return this.#pass(statement);
    if (isPreparatory) {
      this.#held.push(statement);
      return nothing(text.split(' ')[0]?.toUpperCase() ?? '');
    }
    if (/^rollback$/i.test(text) && !this.#inTransaction) return nothing('ROLLBACK');
    if (/^rollback$/i.test(text)) return this.#end(statement);
    if (/^commit$/i.test(text)) return this.#isDoomed ? this.#rollBack() : this.#end(statement);
    return this.#isAutocommitWrite(text) ? this.#autocommitWrite(statement) : this.#step(statement);
  }

  #isAutocommitWrite(text: string): boolean {
    if (this.#inTransaction || !this.#model.autocommitWriteIsTwo) return false;
    return isWrite(text) && !hasControl(text);
  }

  async #pass(statement: Statement): Promise<Rows> {
    try {
      return await this.#inner.run(statement);
    } finally {
      this.#follow();
    }
  }

  /**
   * Learns from the session whether a transaction is open, because a text may begin or end a
   * transaction in ways that the gate does not recognize.
   */
  #follow() {
    const isAutocommit = this.#inTransaction && !this.#isBegun;
    const isOpen = this.#inner.isInTransaction?.();
    if (isOpen === undefined || isAutocommit) return;
    if (isOpen) this.#inTransaction = this.#isBegun = true;
    else if (this.#inTransaction) this.#forgetTransaction();
  }

  async #end(statement: Statement): Promise<Rows> {
    try {
      return await this.#step(statement);
    } finally {
      this.#forgetTransaction();
    }
  }

  #forgetTransaction() {
    this.#isOpen = false;
    this.#inTransaction = false;
    this.#isBegun = false;
    this.#isolation = 'read committed';
    this.#isDoomed = false;
  }

  /** Rolls back instead of committing. Later transactions of this session commit. */
  async #rollBack(): Promise<Rows> {
    this.#askIsDoomed = undefined;
    await this.#end(command('rollback'));
    throw new RolledBackByTrial('the trial rolled this transaction back');
  }

  /**
   * Runs an autocommit write in a transaction, as PostgreSQL does, but with a pause before the
   * commit.
   */
  async #autocommitWrite(statement: Statement): Promise<Rows> {
    this.#held = [command(BEGIN)];
    this.#inTransaction = true;
    const rows = await this.#step(statement, () => {
      this.#forgetTransaction();
      return this.#inner.run(command('rollback'));
    });
    await (this.#isDoomed ? this.#rollBack() : this.#end(command('commit')));
    return rows;
  }

  /**
   * Makes one step. Only an autocommit write has `undo`, which ends the gate's transaction after an
   * error.
   */
  async #step(statement: Statement, undo?: () => Promise<unknown>): Promise<Rows> {
    const statements = [...this.#held, statement];
    const step: Step = {
      text: statement.text.trim(),
      params: statement.params,
      isolation: this.#isolation,
      before: this.#held.map((each) => each.text),
      isInTransaction: this.#isBegun,
    };
    if (undo) step.isAutocommit = true;
    this.#held = [];
    const { text } = step;
    const fate = await this.#keeper.arrive(step);
    const isLost = fate === 'loses-answer';
    if (fate === 'fails') statements.splice(-1, 1, command(FAIL));
    let rows: Rows;
    try {
      rows = await this.#send(statements);
      this.#isDoomed = (await this.#askIsDoomed?.()) ?? false;
    } catch (error) {
      if (fate === 'fails') noteFailure(error);
      if (this.#inner.isAlive()) await undo?.();
      this.#keeper.leave({ error });
      if (this.#isDead) return await this.#neverReturn();
      // No code catches this error after the end of the program. The error would hide the reason why
      // the explorer has ended the connection.
      if (this.#keeper.hasEnded) return await new Promise(() => undefined);
      throw error;
    }
    if (takesSessionLock(text)) this.#hasSessionLock = true;
    if (releasesSessionLock(text)) this.#hasSessionLock = false;
    this.#keeper.leave(isLost ? { rows, isLost } : { rows });
    if (this.#isDead) return await this.#neverReturn();
    if (isLost) throw new AnswerLost('the answer was lost');
    return rows;
  }

  async #send(statements: Statement[]): Promise<Rows> {
    this.#isSent = true;
    this.#isOpen ||= this.#inTransaction;
    try {
      const results = await Promise.all(
        statements.map((each) => this.#inner.run({ ...each, text: withLabTime(each.text) })),
      );
      return results.at(-1) as Rows;
    } finally {
      this.#isSent = false;
      this.#follow();
    }
  }

  /**
   * Ends the session of a dead program. The promise never resolves, so no code of the program runs
   * any more.
   */
  async #neverReturn(): Promise<never> {
    await this.#endAfterDeath();
    return new Promise(() => undefined);
  }
}

const USED_INSIDE =
  'db was used inside a transaction of db: use tx there. The lab gives each session one connection.';

/** Fails as a statement fails at a timeout. So the program gets a real error of PostgreSQL. */
const FAIL = `do $$ begin
  raise query_canceled using message = 'canceling statement due to statement timeout';
end $$`;

/** The answer to a statement that the gate does not send now. */
const nothing = (command: string): Rows => Object.assign([], { command });

const command = (text: string): Statement => ({ text, params: [], asArrays: false });
