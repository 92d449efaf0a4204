import type { ChildProcess } from 'node:child_process';
import { describe, PlainError } from '../../process/errors.ts';
import { type Mark, markOf } from '../../process/process-table.ts';
import { whenLate } from '../../waiting/deadline.ts';
import { findInstalled } from '../binaries.ts';
import { startGuard } from '../embedded.ts';
import { removeHome } from '../leftovers.ts';
import type { CopyOrder, LenderReport, LendOrder, ServersOrder } from './orders.ts';

/** A PostgreSQL server for one use. */
export interface Copy {
  /** The address of its superuser. */
  url: string;
  /** Ends the server immediately, also in the middle of statements, and removes its data. */
  end(): Promise<void>;
}

/** Thrown if no copy can be made. The message tells an operator the reason. */
export class NoCopy extends PlainError {
  override name = 'NoCopy';
}

/** Thrown if the binaries of PostgreSQL are not installed. */
export class NoBinaries extends NoCopy {
  constructor() {
    super('The embedded PostgreSQL is not installed.');
  }
}

/** The maximum time in which a guard must kill its servers. After this time, we kill the guard. */
const END_PATIENCE_MS = 1_500;
/**
 * If a guard does not answer within this time, we kill it. On a slow disk, initdb takes seconds.
 */
const GUARD_PATIENCE_MS = 60_000;

/**
 * Opens a separate server for each use, and removes the server after the use. All servers are
 * copies of a first server, so opening a server takes a tenth of a second. A server can be killed
 * at any moment, since nobody else uses it. The servers end when this process ends, even after
 * SIGKILL.
 */
export class Copies {
  readonly #servers: ServersOrder;
  readonly #prepare: (url: string) => Promise<void>;
  #desk: Desk | undefined;
  #isClosed = false;

  /** `prepare` fills the first server with data. */
  constructor(servers: ServersOrder, prepare: (url: string) => Promise<void>) {
    this.#servers = servers;
    this.#prepare = prepare;
  }

  /**
   * Makes the first server in the background, so the first use does not wait for it. If this fails,
   * the first use throws the reason.
   */
  warmUp() {
    try {
      this.#ready();
    } catch {
      // Nobody uses a server yet. The first use throws the error.
    }
  }

  /** Opens a server. Throws a `NoCopy` if this is impossible. */
  async open(): Promise<Copy> {
    return this.#ready().open();
  }

  /** Ends all servers. */
  async close() {
    this.#isClosed = true;
    await this.#desk?.close();
  }

  /** Returns the desk of a running guard. Starts a new guard if the last guard has ended. */
  #ready(): Desk {
    if (this.#isClosed) throw new NoCopy('The servers are closed.');
    if (!this.#desk || this.#desk.isOver) {
      if (!findInstalled()) throw new NoBinaries();
      this.#desk = new Desk(this.#servers, this.#prepare);
    }
    return this.#desk;
  }
}

interface Waiting {
  resolve(url: string): void;
  reject(error: Error): void;
}

/** Talks to one guard on behalf of the owner. */
class Desk {
  isOver = false;
  readonly #guard: ChildProcess;
  readonly #prepare: (url: string) => Promise<void>;
  readonly #over: Promise<void>;
  readonly #ready: Promise<void>;
  #isReady = () => {};
  readonly #opening = new Map<number, Waiting>();
  readonly #ending = new Map<number, () => void>();
  #home: string | undefined;
  #reason = 'The process that guards PostgreSQL ended.';
  #opened = 0;

  constructor(servers: ServersOrder, prepare: (url: string) => Promise<void>) {
    const owner = markOf(process.pid);
    this.#prepare = prepare;
    const { guard, exit } = startGuard({ kind: 'lend', owner, ...servers } satisfies LendOrder);
    this.#guard = guard;
    guard.on('message', (report: LenderReport) => this.#hear(report));
    this.#over = exit.then(() => this.#end(owner));
    this.#ready = new Promise((resolve) => {
      this.#isReady = resolve;
    });
  }

  async open(): Promise<Copy> {
    const id = this.#opened++;
    const url = await this.#unlessStuck(this.#open(id));
    let ended: Promise<void> | undefined;
    return {
      url,
      end: () => {
        ended ??= this.#endCopy(id);
        return ended;
      },
    };
  }

  async close() {
    if (this.#guard.connected) this.#guard.disconnect();
    await whenLate(this.#over, END_PATIENCE_MS, () => void this.#guard.kill('SIGKILL'));
  }

  async #open(id: number): Promise<string> {
    await Promise.race([this.#ready, this.#over]);
    if (this.isOver) throw new NoCopy(this.#reason);
    return new Promise<string>((resolve, reject) => {
      this.#opening.set(id, { resolve, reject });
      this.#send({ kind: 'open', id });
    });
  }

  #endCopy(id: number): Promise<void> {
    if (this.isOver) return this.#over;
    const ended = new Promise<void>((resolve) => this.#ending.set(id, resolve));
    this.#send({ kind: 'end', id });
    return this.#unlessStuck(Promise.race([ended, this.#over]));
  }

  /**
   * Waits for the guard. Kills a guard that does not answer. Everybody who waits for this guard
   * then gets an error.
   */
  #unlessStuck<T>(work: Promise<T>): Promise<T> {
    return whenLate(work, GUARD_PATIENCE_MS, () => void this.#guard.kill('SIGKILL'));
  }

  /**
   * Sends an order. If the guard has ended, sends nothing. `#over` then informs everybody who
   * waits.
   */
  #send(order: CopyOrder) {
    if (this.#guard.connected) this.#guard.send(order, () => undefined);
  }

  #hear(report: LenderReport) {
    switch (report.kind) {
      case 'prepare':
        this.#home = report.home;
        void this.#fill(report.url);
        break;
      case 'ready':
        this.#isReady();
        break;
      case 'opened':
        this.#opening.get(report.id)?.resolve(report.url);
        this.#opening.delete(report.id);
        break;
      case 'not opened':
        this.#opening.get(report.id)?.reject(new NoCopy(report.message));
        this.#opening.delete(report.id);
        break;
      case 'ended':
        this.#ending.get(report.id)?.();
        this.#ending.delete(report.id);
        break;
      case 'failed':
        this.#reason = report.message;
    }
  }

  async #fill(url: string) {
    try {
      await this.#prepare(url);
      this.#send({ kind: 'prepared' });
    } catch (error) {
      this.#reason = describe(error);
      if (this.#guard.connected) this.#guard.disconnect();
    }
  }

  /** Removes the servers and the data that a killed guard has left. */
  async #end(owner: Mark) {
    this.isOver = true;
    for (const { reject } of this.#opening.values()) reject(new NoCopy(this.#reason));
    if (this.#home && this.#guard.exitCode !== 0) await removeHome(this.#home, owner);
  }
}
