import type { Outcome, Slots } from '../../../service/claims/rules.ts';

/** What the table says about an answer. */
export interface Row {
  jobId: bigint;
  recruiterId: bigint;
  capacity: number;
  /** The id of the recruiter's claim. Undefined if the recruiter holds nothing. */
  claimId: string | undefined;
}

/**
 * Returns a remark for each wrong field of an answer. A wrong field is no fault, since the kind of
 * the answer may be true.
 */
export function remarksOn(value: unknown, row: Row): string[] {
  const outcome = value as Outcome;
  const wrong = [
    ...('slots' in outcome && outcome.slots ? wrongSlots(outcome, outcome.slots, row) : []),
    ...(outcome.kind === 'claimed' ? wrongClaim(outcome, row) : []),
  ];
  return wrong.map((words) => `the answer \`${outcome.kind}\` is right, but ${words}`);
}

function wrongSlots({ kind }: Outcome, slots: Slots, { capacity }: Row): string[] {
  const { claimed, remaining } = slots;
  const isCountWrong = kind === 'claimed' ? claimed < 1 || claimed > capacity : claimed < capacity;
  return [
    ...(slots.capacity === capacity ? [] : ['slots.capacity is not the capacity of the job']),
    ...(kind !== 'duplicate' && isCountWrong
      ? ['slots.claimed cannot be the number of claims']
      : []),
    ...(remaining === Math.max(0, slots.capacity - claimed)
      ? []
      : ['slots.remaining is not slots.capacity less slots.claimed']),
  ];
}

function wrongClaim(
  { claim }: Extract<Outcome, { kind: 'claimed' }>,
  { jobId, recruiterId, claimId }: Row,
): string[] {
  const expected = { id: claimId, jobId, recruiterId };
  return Object.entries(expected)
    .filter(([, value]) => value !== undefined)
    .filter(([name, value]) => `${claim?.[name as keyof typeof expected]}` !== `${value}`)
    .map(([name]) => `claim.${name} is not the one in the table`);
}
