import type { Statement } from '../../platform/db/session.ts';
import type { Message } from './messages.ts';
import type { Field } from './values.ts';

/** A statement that the client has parsed. */
export interface Prepared {
  text: string;
  /** The types of the parameters, as far as the client or the server has named the types. */
  types: number[];
  /** The columns of the result. Empty until the client has asked for the columns. */
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
 * The messages of a client up to a Sync. A unit is one step, and usually has one statement. After a
 * Flush, the client goes on with the same unit. After a unit that only prepares a statement, the
 * client may go on with this statement in the same step.
 */
export class Unit {
  /** The statements of the unit. The first words of the text decide the kind of the unit. */
  readonly text: string;
  /** The values of the parameters. A later Bind may add the values. */
  readonly params: unknown[] = [];
  readonly isSimple: boolean;
  /** Whether the unit is a step. A unit that only asks about statements is not a step. */
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
  /** The messages of the answer that the client has not got yet. */
  answer: readonly Message[] = [];
  /** Called when the client sends more. */
  onMore: ((bytes: Buffer) => void) | undefined;
  #bytes: Buffer[] = [];

  constructor(text: string, { isSimple = false, isStep = true } = {}) {
    this.text = text;
    this.isSimple = isSimple;
    this.isStep = isStep;
  }

  /** Adds messages of the client. Sends the messages immediately if the unit runs. */
  add(bytes: Buffer, { isWhole }: { isWhole: boolean }) {
    this.isWhole = isWhole;
    if (this.onMore) this.onMore(bytes);
    else this.#bytes.push(bytes);
  }

  /** Called when this unit executes the statement that the unit `before` has only prepared. */
  follow(before: Unit) {
    for (const prepared of before.parsed) this.parsed.add(prepared);
    if (before.params.length === 0) before.params.push(...this.params);
  }

  /** Returns the messages that were not sent yet. */
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
