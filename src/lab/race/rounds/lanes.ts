import { readableStatement } from '../../../explorer/readable.ts';
import type { Slice } from '../recorder.ts';

/** A span of time, in milliseconds since the round began. */
export interface Span {
  from: number;
  to: number;
}

/** Everything that one session did in a round. */
export interface Lane extends Span {
  /** The number of the session, from 1. */
  session: number;
  /** The HTTP status of the answer, such as 403 if the job is full. */
  status: number;
  /** Whether the process of the session was killed. Its status is then 500. */
  hasDied?: true;
  statements: (Span & { text: string; isEffect?: true })[];
  /** Waits for a lock, and the session that held the lock. */
  waits: (Span & { blocker: number })[];
}

/**
 * Returns the lanes of a round that began at `began`. `statuses` has the status of each session, in
 * order.
 */
export function lanesOf(slices: Slice[], began: number, statuses: number[]): Lane[] {
  const spanOf = ({ from, to }: Span): Span => ({ from: since(began, from), to: since(began, to) });
  return statuses.map((status, index) => {
    const own = slices.filter(({ session }) => session === index + 1);
    const whole = own.find(({ kind }) => kind === 'request') ?? { from: began, to: began };
    const statements = own.flatMap((slice) =>
      slice.kind === 'statement'
        ? [{ ...spanOf(slice), text: readableStatement(slice.statement) }]
        : [],
    );
    const waits = own.flatMap((slice) =>
      slice.kind === 'wait' ? [{ ...spanOf(slice), blocker: slice.blocker }] : [],
    );
    return { session: index + 1, status, ...spanOf(whole), statements, waits };
  });
}

/** Rounds to hundredths of a millisecond. Smaller differences are noise. */
const since = (began: number, time: number) => Math.round((time - began) * 100) / 100;
