/** A span of time in milliseconds, by the database's clock. */
export interface Span {
  from: number;
  to: number;
}

/** A claim that a recruiter may hold. */
export interface Held {
  /** Undefined if the answer to the claim was lost. */
  id: string | undefined;
  /** When the lease may end. Infinity means never. */
  ends: Span;
}

/** A possible state of one recruiter and one job, as far as the answers tell. */
export type State = 'free' | Held;

/** A request of one recruiter about one job. */
export type Operation = { jobId: string; recruiterId: string } & (
  | { kind: 'claim'; leaseSeconds?: number }
  | { kind: 'release'; id: string }
  | { kind: 'renew'; id: string; leaseSeconds: number }
);

/** Our knowledge of an operation afterwards. */
export type Verdict =
  | { kind: 'claimed' | 'renewed'; id: string; ends: number }
  | { kind: 'released' | 'duplicate' | 'full' | 'gone' | 'no-lease' }
  /**
   * `runs`: the operation may still take effect. Otherwise it has taken effect by now, or never
   * will.
   */
  | { kind: 'unknown'; runs: boolean };

/** Allows for the difference between the two clocks, and for rounded times. */
const SLACK_MS = 250;
const NEVER: Span = { from: Infinity, to: Infinity };

/** The possible states within a span of time. Leases may have ended by then. */
export function lapse(states: State[], at: Span): State[] {
  const rest = states.filter((each) => each === 'free' || each.ends.to >= at.from - SLACK_MS);
  const mayHaveEnded = states.some((each) => each !== 'free' && each.ends.from <= at.to + SLACK_MS);
  return mayHaveEnded ? merge([...rest, 'free']) : rest;
}

/** The possible states after an operation within the span. Empty if the answer cannot be true. */
export function after(states: State[], did: Operation, verdict: Verdict, at: Span): State[] {
  switch (verdict.kind) {
    case 'claimed':
      return states.includes('free') ? [told(verdict)] : [];
    case 'renewed':
      return states.some(holding(verdict.id)) ? [told(verdict)] : [];
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

/** The possible states if the operation may or may not have taken effect. */
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
 * The states that an answer implies by itself. They replace the earlier states if the answer
 * contradicts them.
 */
export function implied(did: Operation, verdict: Verdict): State[] {
  switch (verdict.kind) {
    case 'claimed':
    case 'renewed':
      return [told(verdict)];
    case 'duplicate':
    case 'no-lease':
      return [{ id: did.kind === 'claim' ? undefined : did.id, ends: { from: 0, to: Infinity } }];
    default:
      return ['free'];
  }
}

/** Whether this state is, or may be, the claim with this id. */
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
 * Joins states that differ only in the end of the lease. The joined end is the span of all ends.
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
