import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Rows, Session } from '../../platform/db/session.ts';
import { PlainError } from '../../platform/process/errors.ts';
import { Bell } from '../../platform/waiting/bell.ts';
import { inTime } from '../../platform/waiting/deadline.ts';
import type { NameOf } from '../choice.ts';
import type { Remote, StageSession } from '../stage.ts';
import { Connection, type Owner } from './connection.ts';
import { Gates } from './gates.ts';
import type { WireStatement } from './unit.ts';

/**
 * After its answer, a program may still end its transactions. This is the maximum time without a
 * change.
 */
const END_TRANSACTION_MS = 500;

/** The time for a program to leave, as a multiple of `patienceMs`. */
const PATIENCES_TO_LEAVE = 2;

/** The settings and functions that all sessions of a stage share. */
export type Surroundings = Pick<Owner, 'serverUrl' | 'hasLabTime'> & {
  nameOf: NameOf;
  /** Whether the program of this session runs in our own process. */
  isLocal(session: number): boolean;
  patienceMs: number;
  /**
   * The maximum wait for a program that runs alone. After this time, we assume that the program never
   * answers.
   */
  aloneMs: number;
  /** The maximum number of connections of a session. */
  connections: number;
  /** Called when a session must end its run, because nobody waits for its answer. */
  onLeave(session: number): void;
  /** Ends these backends, and waits for their end. */
  terminate(pids: number[]): Promise<unknown>;
  remark(said: string): void;
};

/**
 * A session with an address. The program of the session opens any number of connections to this
 * address.
 */
export class WireSession implements StageSession, Owner {
  readonly remote: Remote;
  /** The explorer uses this session only to check whether the connection of the step is alive. */
  readonly session: Session;
  onWaiting: () => void = () => undefined;
  readonly serverUrl: string;
  readonly hasLabTime: boolean;
  readonly saysFarewell: boolean;
  readonly #number: number;
  readonly #around: Surroundings;
  readonly #connections = new Set<Connection>();
  /** Closed connections whose clients may still get errors. */
  readonly #left = new Set<Connection>();
  readonly #bell = new Bell();
  #listener: Server | undefined;
  #hasStepped = false;
  /** Undefined while the session plays no schedule. */
  #schedule: Gates | undefined;
  /** Whether a run of the program is going on. A statement outside a run is unexpected. */
  #isAsked = false;
  /** Whether the session accepts no new connection. */
  #isClosed = false;
  /** The run of the program. Undefined if no run is going on. */
  #run: Promise<unknown> | undefined;

  constructor(number: number, around: Surroundings) {
    this.#number = number;
    this.#around = around;
    this.serverUrl = around.serverUrl;
    this.hasLabTime = around.hasLabTime;
    this.saysFarewell = around.isLocal(number);
    const pids = () => this.#pids();
    this.remote = {
      get pids() {
        return pids();
      },
      patienceMs: around.patienceMs,
      goBeside: () => this.#schedule?.goBeside() ?? false,
      guard: (...given) => {
        this.#schedule = new Gates(...given);
        return this.#schedule;
      },
      run: (program) => this.#runWhole(program),
    };
    this.session = {
      run: () => Promise.reject(new Error('a session on the wire has its own client')),
      isAlive: () => this.#schedule?.last?.backend.isAlive() ?? false,
      close: () => this.close(),
    };
  }

  /** Listens on a port of its own. Returns the port. */
  async listen(): Promise<number> {
    const listener = createServer((socket) => {
      const connection = new Connection(socket, this);
      this.#connections.add(connection);
      if (this.#isClosed || this.#schedule?.isDead) connection.turnAway();
      else if (this.#connections.size > this.#around.connections)
        connection.refuse(
          '53300',
          `a session may have at most ${this.#around.connections} connections`,
        );
    });
    this.#listener = listener;
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return (listener.address() as AddressInfo).port;
  }

  /** Whether a program has ever sent a statement to the address. */
  get hasStepped(): boolean {
    return this.#hasStepped;
  }

  /** The number of open connections. */
  get connections(): number {
    return [...this.#connections].filter(({ isClosing }) => !isClosing).length;
  }

  get pid(): number {
    return (this.#schedule?.last ?? [...this.#connections][0])?.pid ?? 0;
  }

  /** The time in which a program must end after its connections were closed. */
  get #leavesMs(): number {
    return this.#around.patienceMs * PATIENCES_TO_LEAVE;
  }

  get #name(): string {
    return this.#around.nameOf(this.#number);
  }

  #pids(): number[] {
    return [...this.#connections].map(({ pid }) => pid).filter((pid) => pid > 0);
  }

  /** Removes everything that the last schedule may have left. */
  async reset() {
    this.#schedule = undefined;
    if (this.#run) await this.#abandon();
    const left = [...this.#connections].filter(({ isBusy, isClosing }) => isBusy || isClosing);
    await this.#closeAll(left);
    await Promise.all([...this.#connections].map(clean));
    this.#isClosed = false;
  }

  /**
   * Closes the connections of a program that has not ended. The program should then fail, and so
   * end.
   */
  async #abandon() {
    this.#isClosed = true;
    this.#around.onLeave(this.#number);
    await this.#closeAll([...this.#connections]);
    const ended = await inTime(Promise.resolve(this.#run), this.#leavesMs, () => NOT_YET);
    if (ended === NOT_YET) this.remark('its last run has not ended, and goes on');
    this.#run = undefined;
  }

  play(connection: Connection, statement: WireStatement): Promise<Rows> {
    if (this.#isAsked && statement.unit?.isStep) this.#hasStepped = true;
    for (const other of this.#connections) if (other !== connection) other.backend.endPrepared();
    const { backend } = connection;
    if (this.#schedule && this.#isAsked) return this.#schedule.of(connection).run(statement);
    if (!this.#isAsked && !backend.passes(statement))
      this.remark(`a statement that no run asked for passes: ${statement.text.slice(0, 200)}`);
    return backend.run(statement);
  }

  #runWhole(program: () => Promise<unknown>): Promise<unknown> {
    const run = this.#asked(program);
    const ended = run.then(noop, noop).then(() => {
      if (this.#run === ended) this.#run = undefined;
    });
    this.#run = ended;
    return run;
  }

  async #asked(program: () => Promise<unknown>): Promise<unknown> {
    this.#isAsked = true;
    try {
      return await program();
    } finally {
      await this.#untilIdle();
      this.#isAsked = false;
    }
  }

  /**
   * Waits until all connections are idle. The answer of the program may come before its last
   * statements, such as COMMIT.
   */
  async #untilIdle() {
    const busy = () => [...this.#connections].filter(({ isIdle }) => !isIdle);
    for (const { backend } of this.#connections) backend.endPrepared();
    while (busy().length > 0) {
      const isChanged = await this.#bell.rings(END_TRANSACTION_MS);
      if (!isChanged && busy().length > 0 && !busy().some(({ isBusy }) => isBusy))
        throw new PlainError(`${this.#name} has answered, but has left a transaction open`);
    }
  }

  /**
   * Runs the program once without a gate. Programs send some statements only on a new connection.
   * After this run the connections are open, so no schedule contains these statements.
   */
  async rehearse(program: () => Promise<unknown>) {
    const run = this.#runWhole(program).then(noop, noop);
    const { aloneMs } = this.#around;
    if ((await inTime(run, aloneMs, () => NOT_YET)) === NOT_YET)
      this.remark(`its program has not answered within ${aloneMs} ms, although it ran alone`);
    await this.reset();
  }

  onWaitingOf(connection: Connection) {
    if (connection === this.#schedule?.turn) this.onWaiting();
  }

  changed() {
    this.#bell.ring();
  }

  async closed(connection: Connection, hasEnded: boolean) {
    const { pid } = connection;
    if (pid > 0 && !hasEnded) await this.#around.terminate([pid]);
    this.#connections.delete(connection);
    if (connection.isInFarewell) this.#left.add(connection);
    connection.whenLeft(() => this.#left.delete(connection));
    this.#bell.ring();
  }

  remark(said: string) {
    this.#around.remark(`${this.#name}: ${said}`);
  }

  async #closeAll(connections: Connection[]) {
    await Promise.all(connections.map((connection) => connection.close()));
  }

  /** Ends all connections, even busy connections. */
  async cut() {
    if (this.#run) this.#around.onLeave(this.#number);
    await this.#closeAll([...this.#connections]);
  }

  async close() {
    this.#isClosed = true;
    this.#listener?.close();
    await this.cut();
    if (this.#run) await inTime(this.#run, this.#leavesMs, () => undefined);
    for (const connection of this.#left) connection.destroy();
  }
}

const NOT_YET = Symbol();
const noop = () => undefined;

/**
 * Ends the transaction of a connection and releases its advisory locks. The settings and prepared
 * statements of the program stay.
 */
async function clean({ backend, pid }: Connection) {
  if (pid === 0) return;
  const statement = (text: string) => ({ text, params: [], asArrays: false });
  try {
    if (backend.isInTransaction()) await backend.run(statement('rollback'));
    await backend.run(statement('select pg_advisory_unlock_all()'));
  } catch (error) {
    // The program may close a connection at any time. PostgreSQL then frees everything.
    if (backend.isAlive()) throw error;
  }
}
