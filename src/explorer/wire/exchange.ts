import type { Rows } from '../../platform/db/session.ts';
import {
  fieldsOf,
  type Message,
  ProtocolError,
  Reader,
  readyForQuery,
  type Status,
} from './messages.ts';
import type { Unit } from './unit.ts';
import { type Field, formatAt, readFields, readRow } from './values.ts';

/**
 * The maximum number of rows that we keep. The transcript shows the values of a single row. For
 * several rows, the transcript shows only their number.
 */
const MOST_READ = 5;
/**
 * An answer of this size goes to the client before the answer is complete, unless we must hold the
 * answer.
 */
const MOST_KEPT_BYTES = 256 * 1024;
/** The maximum size of an answer that we hold until the commit. */
const MOST_HELD_BYTES = 64 * 1024 * 1024;

/** An error of the server. `whole` is the ErrorResponse message. */
export interface ServerError extends Error {
  code: string;
  constraint_name?: string | undefined;
  whole: Buffer;
}

/** The messages that the server got together, and its answer up to ReadyForQuery. */
export class Exchange {
  /** Undefined for the gate's own statements. */
  unit: Unit | undefined;
  /** Whether we must hold the answer, because a commit follows or the answer may get lost. */
  readonly #mustHold: boolean;
  readonly #toClient: (bytes: Buffer) => void;
  /** The messages that the client has not got yet. */
  readonly #held: Message[] = [];
  #heldBytes = 0;
  #rows: unknown[] = [];
  #rowCount = 0;
  #fields: Field[] = [];
  #tag = '';
  #error: ServerError | undefined;
  /** Whether the next row belongs to the next result. */
  #isFresh = true;
  /** Whether the server reads data of a COPY. Until the end of the data, it ignores each Sync. */
  isCopying = false;

  constructor(
    unit: Unit | undefined,
    { mustHold, toClient }: { mustHold: boolean; toClient: (bytes: Buffer) => void },
  ) {
    this.unit = unit;
    this.#mustHold = mustHold;
    this.#toClient = toClient;
  }

  /** Handles the next message of the answer. */
  take(read: Message) {
    this.#note(read);
    if (!this.unit) return;
    this.#held.push(read);
    this.#heldBytes += read.whole.length;
    // Before its Sync, the client cannot rely on any change, so we need not hold the answer.
    const isEarly = !this.unit.isWhole || read.type === 'G' || this.#held.every(isAboutStatement);
    if (isEarly || (!this.#mustHold && this.#heldBytes > MOST_KEPT_BYTES)) this.release();
    if (this.#heldBytes > MOST_HELD_BYTES)
      throw new ProtocolError('the answer to an autocommit write is too long to be held');
  }

  /** Sends the held messages to the client. */
  release() {
    for (const { whole } of this.#held) this.#toClient(whole);
    this.#held.length = 0;
    this.#heldBytes = 0;
  }

  /** Sends the held messages to the client. ReadyForQuery tells this state of the transaction. */
  releaseAs(status: Status) {
    this.#toClient(withStatus(this.#held, status));
    this.#held.length = 0;
    this.#heldBytes = 0;
  }

  get held(): readonly Message[] {
    return this.#held;
  }

  get error(): ServerError | undefined {
    return this.#error;
  }

  get rows(): Rows {
    const rows = Object.assign([...this.#rows], {
      command: this.#tag.split(' ')[0] ?? '',
      count: Number(/\d+$/.exec(this.#tag)?.[0] ?? this.#rowCount),
    });
    rows.length = this.#rowCount;
    return rows;
  }

  #note({ type, body }: Message) {
    if (type === 'T') this.#describe(readFields(body));
    else if (type === 'n') this.#describe([]);
    else if (type === 't') this.#noteTypes(body);
    else if (type === 'D') this.#addRow(body);
    else if (type === 'C') this.#complete(new Reader(body).text());
    else if (type === 'I' || type === 's') this.#complete(this.#tag);
    else if (type === 'E') this.#error ??= errorOf(body);
    else if (type === 'G') this.isCopying = true;
  }

  /**
   * Records the columns of a result. In the simple protocol, the columns come before the rows. In
   * the extended protocol, the client asks for the columns.
   */
  #describe(fields: Field[]) {
    const asked = this.unit?.describing.shift();
    if (!asked) this.#fields = fields;
    else ('prepared' in asked ? asked.prepared : asked).fields = fields;
  }

  #noteTypes(body: Buffer) {
    const reader = new Reader(body);
    const asked = this.unit?.describing[0];
    if (asked && 'types' in asked) asked.types = reader.list(() => reader.int32());
  }

  #addRow(body: Buffer) {
    if (this.#isFresh) this.#begin();
    this.#rowCount++;
    if (this.#rows.length < MOST_READ) this.#rows.push(readRow(body, this.#fields));
  }

  #begin() {
    this.#isFresh = false;
    this.#rows = [];
    this.#rowCount = 0;
    const portal = this.unit?.executing[0];
    if (portal)
      this.#fields = portal.prepared.fields.map((field, index) => ({
        ...field,
        format: formatAt(portal.formats, index),
      }));
  }

  #complete(tag: string) {
    if (this.#isFresh) this.#begin();
    this.#tag = tag;
    this.#isFresh = true;
    this.isCopying = false;
    this.unit?.executing.shift();
  }
}

/** Returns the messages as bytes. Each ReadyForQuery tells this state of the transaction. */
export const withStatus = (messages: readonly Message[], status: Status): Buffer =>
  Buffer.concat(messages.map(({ type, whole }) => (type === 'Z' ? readyForQuery(status) : whole)));

/**
 * Whether the message is ParseComplete, BindComplete, CloseComplete or a description. The client
 * may need such a message to go on.
 */
const isAboutStatement = ({ type }: Message): boolean => '123tTnNSA'.includes(type);

function errorOf(body: Buffer): ServerError {
  const { C: code = '', M: said = '', n: constraint } = fieldsOf(body);
  const whole = Buffer.concat([Buffer.from('E'), lengthOf(body), body]);
  return Object.assign(new Error(said), { code, constraint_name: constraint, whole });
}

function lengthOf(body: Buffer): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(body.length + 4);
  return bytes;
}
