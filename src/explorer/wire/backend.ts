import { connectionLost } from '../../platform/db/failure.ts';
import { BEGIN } from '../../platform/db/parameters.ts';
import type { Rows } from '../../platform/db/session.ts';
import type { GatedSession } from '../gatekeeper.ts';
import { Exchange, type ServerError } from './exchange.ts';
import {
  fieldsOf,
  int16,
  int32,
  type Message,
  message,
  type Status,
  SYNC,
  text,
} from './messages.ts';
import { isPassing } from './passing.ts';
import type { Unit, WireStatement } from './unit.ts';

/**
 * The name of the gate's own statement and portal. The gate sends no simple Query, because a Query
 * would destroy the unnamed statement and portal of the client.
 */
const OWN = 'rowlock_gate';

/**
 * The maximum time between the preparation of a statement and its execution. A client executes the
 * statement immediately, but a busy machine may delay the client. Any other message of the session
 * ends the step earlier, so this time rarely runs out.
 */
const PREPARED_MS = 1_000;

/** The functions by which a backend reaches the server and the client. */
export interface Wires {
  toServer(bytes: Buffer): void;
  toClient(bytes: Buffer): void;
  /** Called when the server says that the statement waits for a lock. */
  onWaiting(): void;
  close(): Promise<void>;
}

interface Running {
  exchange: Exchange;
  end(error?: Error): void;
}

/**
 * One connection to the server, below a gate (see `Gate`). The backend sends the units of the
 * client unchanged. It sends the gate's own statements by the extended protocol.
 */
export class Backend implements GatedSession {
  readonly #wires: Wires;
  /** The exchanges that the server has not finished, in order. */
  readonly #running: Running[] = [];
  #status: Status = 'I';
  /**
   * Whether the gate has begun the open transaction. The client does not know of this transaction.
   */
  #isOwn = false;
  #isAlive = true;
  /**
   * The exchange of a unit that only prepared a statement. The client may execute the statement
   * next.
   */
  #prepared: Running | undefined;
  #patience: NodeJS.Timeout | undefined;

  constructor(wires: Wires) {
    this.#wires = wires;
  }

  /** The state of the transaction, as the client must see it. */
  get status(): Status {
    return this.#isOwn ? 'I' : this.#status;
  }

  isInTransaction(): boolean {
    return this.#status !== 'I';
  }

  isAlive(): boolean {
    return this.#isAlive;
  }

  /** The unit that has only prepared a statement, and waits for the Execute of the client. */
  get prepared(): Unit | undefined {
    return this.#prepared?.exchange.unit;
  }

  passes({ unit, text: said }: WireStatement): boolean {
    if (unit && !unit.isStep) return true;
    if (/^(commit|rollback)$/i.test(said)) return !this.isInTransaction();
    return isPassing(said);
  }

  run({ unit, text: said, params }: WireStatement): Promise<Rows> {
    if (!this.#isAlive) return Promise.reject(connectionLost());
    if (unit) return this.#runUnit(unit, /^commit$/i.test(said));
    // An autocommit write has the isolation level of its session, so we send a plain BEGIN.
    const own = said === BEGIN ? 'begin' : said;
    if (own === 'begin') this.#isOwn = true;
    const rows = this.#exchange(undefined, false);
    this.#wires.toServer(ownMessages(own, params));
    return own === 'commit' || own === 'rollback'
      ? rows.finally(() => {
          this.#isOwn = false;
        })
      : rows;
  }

  #runUnit(unit: Unit, isCommit: boolean): Promise<Rows> {
    const rows = this.#exchange(unit, this.#isOwn || isCommit);
    this.#send(unit);
    return rows;
  }

  #send(unit: Unit) {
    unit.onMore = (bytes) => this.#wires.toServer(bytes);
    this.#wires.toServer(unit.take());
  }

  #exchange(unit: Unit | undefined, mustHold: boolean): Promise<Rows> {
    const { toClient } = this.#wires;
    const exchange = new Exchange(unit, { mustHold, toClient });
    return new Promise((resolve, reject) => {
      const end = (error: Error | undefined = exchange.error) => {
        if (unit) unit.answer = exchange.held;
        if (error) reject(error);
        else resolve(exchange.rows);
      };
      this.#running.push({ exchange, end });
    });
  }

  /** Handles a message of the server. */
  receive(read: Message) {
    if (read.type === 'N' && this.#isForUs(read.body)) return;
    const running = this.#running[0];
    if (!running) return this.#wires.toClient(read.whole);
    running.exchange.take(read);
    if (read.type !== 'Z') return;
    this.#status = read.body.toString('latin1') as Status;
    this.#running.shift();
    this.#ready(running);
  }

  /**
   * Called when the server is ready for the next query. A unit that has only prepared a statement
   * stays open until the Execute comes.
   */
  #ready(running: Running) {
    const { unit, error } = running.exchange;
    if (!unit || unit.parsed.size === 0 || unit.executes || error) return running.end();
    this.#prepared = running;
    this.#patience = setTimeout(() => this.endPrepared(), PREPARED_MS);
    running.exchange.releaseAs(this.status);
  }

  /** Called when the client goes on with the prepared unit. */
  goOn(next: Unit) {
    const running = this.#takePrepared() as Running;
    next.follow(running.exchange.unit as Unit);
    running.exchange.unit = next;
    this.#running.push(running);
    this.#send(next);
  }

  /** Called when the client does not go on with the prepared unit. Ends the step of this unit. */
  endPrepared() {
    this.#takePrepared()?.end();
  }

  #takePrepared(): Running | undefined {
    clearTimeout(this.#patience);
    const running = this.#prepared;
    this.#prepared = undefined;
    return running;
  }

  /** Whether the server reads data of a COPY. */
  get isCopying(): boolean {
    return this.#running[0]?.exchange.isCopying === true;
  }

  /**
   * Whether a notice is only for the explorer, because the settings of the explorer caused the
   * notice.
   */
  #isForUs(body: Buffer): boolean {
    const { V: severity = '', R: routine, M: said = '' } = fieldsOf(body);
    if (routine === 'ProcSleep' && said.includes('still waiting')) this.#wires.onWaiting();
    return severity === 'LOG' || severity.startsWith('DEBUG');
  }

  /** Called when the connection is lost. */
  lose() {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.endPrepared();
    for (const { exchange, end } of this.#running.splice(0))
      end(exchange.error ?? connectionLost());
  }

  close(): Promise<void> {
    return this.#wires.close();
  }
}

export const isOfServer = (error: unknown): error is ServerError =>
  error instanceof Error && 'whole' in error;

/**
 * Returns the messages for a statement of the gate. After a failed COMMIT, the server skips to
 * Sync, so the earlier statement and portal may still exist. We close both first.
 */
function ownMessages(said: string, params: unknown[]): Buffer {
  const values = params.flatMap((param) => {
    const bytes = Buffer.from(String(param));
    return [int32(bytes.length), bytes];
  });
  return Buffer.concat([
    message('C', text(`S${OWN}`)),
    message('C', text(`P${OWN}`)),
    message('P', text(OWN), text(said), int16(0)),
    message('B', text(OWN), text(OWN), int16(0), int16(params.length), ...values, int16(0)),
    message('E', text(OWN), int32(0)),
    SYNC,
  ]);
}
