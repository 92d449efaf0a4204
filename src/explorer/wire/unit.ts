import type { Statement } from '../../../db/session.ts';
import type { Message } from './messages.ts';
import type { Field } from './values.ts';

/** A statement that the client has parsed. */
export interface Prepared {
  text: string;
  /** The types of its parameters, as far as the client or the server has named them. */
  types: number[];
  /** The columns of its result. Empty while nobody has asked for them. */
  fields: Field[];
}

/** A statement with its values, ready to be executed. */
export interface Portal {
  prepared: Prepared;
  params: unknown[];
  /** The formats of the columns: 0 is text, 1 is binary. */
  formats: number[];
}

/**
 * The messages of a client up to a Sync: one step, and usually one statement. A client that ends with
 * Flush goes on with the same unit. A client that only prepares a statement may go on too, with the
 * same statement.
 */
export class Unit {
  /** The statements of the unit. The first words decide what the unit is. */
  readonly text: string;
  /** A later Bind fills in the values. */
  readonly params: unknown[] = [];
  readonly isSimple: boolean;
  /** Whether the unit is more than questions about statements. */
  readonly isStep: boolean;
  /** The statements that the unit has parsed. */
  readonly parsed = new Set<Prepared>();
  /** The portals that the server will execute, in order. */
  readonly executing: Portal[] = [];
  /** The statements and portals that the server will describe, in order. */
  readonly describing: (Prepared | Portal)[] = [];
  /** Whether the client has sent an Execute or a Query. */
  executes = false;
  /** Whether the client has sent the Sync. */
  isWhole = false;
  /** What the client did not get yet of the answer. */
  answer: readonly Message[] = [];
  /** Called when the client sends more. */
  onMore: ((bytes: Buffer) => void) | undefined;
  #bytes: Buffer[] = [];

  constructor(text: string, { isSimple = false, isStep = true } = {}) {
    this.text = text;
    this.isSimple = isSimple;
    this.isStep = isStep;
  }

  /** Adds messages of the client. They are sent at once if the unit runs. */
  add(bytes: Buffer, { isWhole }: { isWhole: boolean }) {
    this.isWhole = isWhole;
    if (this.onMore) this.onMore(bytes);
    else this.#bytes.push(bytes);
  }

  /** The client executes what the unit before has only prepared. */
  follow(before: Unit) {
    for (const prepared of before.parsed) this.parsed.add(prepared);
    if (before.params.length === 0) before.params.push(...this.params);
  }

  /** The messages that were not sent yet. */
  take(): Buffer {
    const bytes = Buffer.concat(this.#bytes);
    this.#bytes = [];
    return bytes;
  }

  get size(): number {
    return this.#bytes.reduce((sum, { length }) => sum + length, 0);
  }
}

/** A statement as the gate gets it. The gate's own statements have no unit. */
export interface WireStatement extends Statement {
  unit?: Unit;
}
