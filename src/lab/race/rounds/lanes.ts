import { readableStatement } from '../../explore/readable.ts';
import type { Slice } from '../recorder.ts';

/** A while, in milliseconds since the round began. */
export interface Span {
  from: number;
  to: number;
}

/** What one recruiter did in a round. */
export interface Lane extends Span {
  /** From 1. */
  recruiter: number;
  /** The status that HTTP has for the outcome, such as 403 where the job is full. */
  status: number;
  statements: (Span & { text: string })[];
  /** Waits for a lock, and which recruiter held it. */
  waits: (Span & { blocker: number })[];
}

/** The lanes of a round that began at `began`; the recruiters' ids and statuses in their order. */
export function lanesOf(slices: Slice[], began: number, ids: bigint[], statuses: number[]): Lane[] {
  const spanOf = ({ from, to }: Span): Span => ({ from: since(began, from), to: since(began, to) });
  const placeOf = (id: number) => ids.indexOf(BigInt(id)) + 1;
  return ids.map((id, index) => {
    const own = slices.filter(({ recruiter }) => BigInt(recruiter) === id);
    const whole = own.find(({ kind }) => kind === 'claim') ?? { from: began, to: began };
    const statements = own.flatMap((slice) =>
      slice.kind === 'statement'
        ? [{ ...spanOf(slice), text: readableStatement(slice.statement) }]
        : [],
    );
    const waits = own.flatMap((slice) =>
      slice.kind === 'wait' ? [{ ...spanOf(slice), blocker: placeOf(slice.blocker) }] : [],
    );
    const status = statuses[index] ?? 0;
    return { recruiter: index + 1, status, ...spanOf(whole), statements, waits };
  });
}

/** To a hundredth of a millisecond: finer than that it is noise. */
const since = (began: number, time: number) => Math.round((time - began) * 100) / 100;
