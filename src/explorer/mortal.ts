import type { Rows, Session, Statement } from '../platform/db/session.ts';
import type { Effect } from './trial.ts';

/** The moment at which a process is killed while it runs at full speed. */
export interface Death {
  /** The number of the step, from 1. A step is a message to PostgreSQL, or an effect. */
  step: number;
  /** Whether the step is sent before the death. The death then comes within a few milliseconds. */
  isSent: boolean;
}

/**
 * A step of a process that ran at full speed. `from` and `to` are values of `performance.now()`.
 */
export interface Seen {
  /** Undefined for an effect. */
  statement?: Statement;
  text: string;
  from: number;
  to: number;
}

/**
 * A process with one session. The process may be killed. Then the connection closes immediately,
 * and no code of the program runs any more. No answer arrives, and no `catch` or `finally` runs.
 * For PostgreSQL, the process looks exactly like a process that SIGKILL has ended.
 */
export class Mortal {
  /** Resolves when the process dies. */
  readonly died: Promise<void>;
  readonly #inner: Session;
  readonly #death: Death | undefined;
  readonly #onSeen: (seen: Seen) => void;
  #steps = 0;
  #isDead = false;
  #tellDeath = () => {};

  constructor(inner: Session, death: Death | undefined, onSeen: (seen: Seen) => void) {
    this.#inner = inner;
    this.#death = death;
    this.#onSeen = onSeen;
    this.died = new Promise((resolve) => {
      this.#tellDeath = resolve;
    });
  }

  get session(): Session {
    return {
      run: (statement) => this.#run(statement),
      isAlive: () => this.#inner.isAlive(),
      close: (patienceSeconds) => this.#inner.close(patienceSeconds),
    };
  }

  readonly effect: Effect = async (does, act) => {
    const { text, kills = false } = typeof does === 'string' ? { text: does } : does;
    const value = await this.#step({ text }, async () => act());
    if (kills) this.die();
    return kills ? await never() : value;
  };

  #run(statement: Statement): Promise<Rows> {
    return this.#step({ statement, text: statement.text }, () => this.#inner.run(statement));
  }

  async #step<T>(what: Pick<Seen, 'statement' | 'text'>, send: () => Promise<T>): Promise<T> {
    if (this.#isDead) return never();
    const isLast = ++this.#steps === this.#death?.step;
    if (isLast && !this.#death?.isSent) this.die();
    if (this.#isDead) return never();
    const from = performance.now();
    try {
      const sent = send();
      if (isLast) setTimeout(() => this.die(), 1);
      return await this.#unlessDead(sent);
    } finally {
      this.#onSeen({ ...what, from, to: performance.now() });
    }
  }

  /**
   * Passes the answer on, unless the process is dead. A dead process gets neither a result nor an
   * error.
   */
  async #unlessDead<T>(sent: Promise<T>): Promise<T> {
    try {
      const value = await sent;
      return this.#isDead ? await never() : value;
    } catch (error) {
      if (this.#isDead) return never();
      throw error;
    }
  }

  die() {
    if (this.#isDead) return;
    this.#isDead = true;
    void this.#inner.close(0);
    this.#tellDeath();
  }
}

const never = () => new Promise<never>(() => undefined);
