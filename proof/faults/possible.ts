/** A span of time. Both ends are in milliseconds of the database's clock. */
export interface Span {
  from: number;
  to: number;
}

/** A claim that a recruiter may hold. */
export interface Held {
  /** Undefined if no answer has given the id. */
  id: string | undefined;
  /**
   * The span in which the lease ends. If `from` is Infinity, the claim has no lease. If only `to`
   * is Infinity, the end is unknown.
   */
  ends: Span;
}

/**
 * A state of one recruiter and one job. `free` means that the recruiter has no claim on the job.
 */
export type State = 'free' | Held;

/** A request of one recruiter about one job. */
export type Operation = { jobId: string; recruiterId: string } & (
  | { kind: 'claim'; leaseSeconds?: number }
  | { kind: 'release'; id: string }
  | { kind: 'renew'; id: string; leaseSeconds: number }
);

/** The result of an operation, as far as we know it from the answers. */
export type OperationResult =
  | { kind: 'claimed' | 'renewed'; id: string; ends: number }
  | { kind: 'released' | 'duplicate' | 'full' | 'gone' | 'no-lease' }
  /**
   * If `runs` is true, the operation may still take effect. If `runs` is false, the operation has
   * either taken effect already, or will never take effect.
   */
  | { kind: 'unknown'; runs: boolean };

/**
 * The tolerance when we compare times. We know the database's clock only by an estimate, and the
 * times in answers are rounded.
 */
const SLACK_MS = 250;
const NEVER: Span = { from: Infinity, to: Infinity };

/**
 * Drops the claims whose leases ended before the span. Adds `free` if a lease may have ended by the
 * end of the span.
 */
export function lapse(states: State[], at: Span): State[] {
  const rest = states.filter((each) => each === 'free' || each.ends.to >= at.from - SLACK_MS);
  const mayHaveEnded = states.some((each) => each !== 'free' && each.ends.from <= at.to + SLACK_MS);
  return mayHaveEnded ? merge([...rest, 'free']) : rest;
}

/**
 * Returns the states that are possible after an operation within the span. Returns an empty list if
 * no earlier state explains the answer.
 */
export function after(states: State[], did: Operation, result: OperationResult, at: Span): State[] {
  switch (result.kind) {
    case 'claimed':
      return states.includes('free') ? [told(result)] : [];
    case 'renewed':
      return states.some(holding(result.id)) ? [told(result)] : [];
    case 'released':
      return did.kind === 'release' && states.some(holding(did.id)) ? ['free'] : [];
    case 'duplicate':
      return states.filter((each) => each !== 'free');
    case 'full':
      return states.filter((each) => each === 'free');
    case 'gone':
      return states.filter((each) => did.kind === 'claim' || idOf(each) !== did.id);
    case 'no-lease':
      return states.filter((each) => each !== 'free' && each.ends.to === Infinity);
    case 'unknown':
      return withEffect(states, did, at);
  }
}

/**
 * Returns the states that are possible after an operation whose effect is unknown: all earlier
 * states, and the states after the operation took effect.
 */
export function withEffect(states: State[], did: Operation, at: Span): State[] {
  const changed = states.flatMap((each): State[] => {
    if (did.kind === 'claim')
      return each === 'free' ? [{ id: undefined, ends: endOf(did.leaseSeconds, at) }] : [];
    if (!holding(did.id)(each)) return [];
    return did.kind === 'release' ? ['free'] : [{ id: did.id, ends: endOf(did.leaseSeconds, at) }];
  });
  return merge([...states, ...changed]);
}

/**
 * Returns the states that follow from an answer alone. If the answer contradicts all earlier
 * states, the ledger continues with these states.
 */
export function implied(did: Operation, result: OperationResult): State[] {
  switch (result.kind) {
    case 'claimed':
    case 'renewed':
      return [told(result)];
    case 'duplicate':
    case 'no-lease':
      return [{ id: did.kind === 'claim' ? undefined : did.id, ends: { from: 0, to: Infinity } }];
    default:
      return ['free'];
  }
}

/** Returns true for a state that is the claim with this id, or a claim whose id is unknown. */
export const holding =
  (id: string) =>
  (state: State): boolean =>
    state !== 'free' && (state.id === id || state.id === undefined);

const idOf = (state: State) => (state === 'free' ? undefined : state.id);
const told = ({ id, ends }: { id: string; ends: number }): Held => ({
  id,
  ends: { from: ends, to: ends },
});
const endOf = (leaseSeconds: number | undefined, { from, to }: Span): Span =>
  leaseSeconds === undefined
    ? NEVER
    : { from: from + leaseSeconds * 1000, to: to + leaseSeconds * 1000 };

/**
 * Joins states that have the same claim id. A state with a lease is never joined with a state
 * without a lease. The end of the joined state spans the ends of all these states.
 */
function merge(states: State[]): State[] {
  const merged = new Map<string, State>();
  for (const each of states) {
    const name = each === 'free' ? each : `${each.id} ${each.ends.from < Infinity}`;
    const known = merged.get(name);
    if (each === 'free' || known === undefined || known === 'free') merged.set(name, each);
    else merged.set(name, { id: each.id, ends: widest(known.ends, each.ends) });
  }
  return [...merged.values()];
}

const widest = (one: Span, other: Span): Span => ({
  from: Math.min(one.from, other.from),
  to: Math.max(one.to, other.to),
});
