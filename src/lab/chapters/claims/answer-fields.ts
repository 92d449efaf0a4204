import type { Outcome, Slots } from '../../../service/claims/rules.ts';

/** What the fields of an answer should say. */
export interface Expected {
  jobId: bigint;
  recruiterId: bigint;
  capacity: number;
  /** The id of the recruiter's claim. Undefined if the recruiter holds nothing. */
  claimId: string | undefined;
}

/**
 * Returns a remark for each wrong field of an answer. A wrong field is no fault: only the kind of
 * the answer decides the verdict. The answer of a program has only its kind, and a field that is
 * absent gets no remark.
 */
export function remarksOn(value: unknown, expected: Expected): string[] {
  const { kind, claim, slots } = value as Partial<Extract<Outcome, { kind: 'claimed' }>>;
  const wrong = [
    ...(slots ? wrongSlots(kind, slots, expected) : []),
    ...(claim ? wrongClaim(claim, expected) : []),
  ];
  return wrong.map((words) => `the answer \`${kind}\` is right, but ${words}`);
}

function wrongSlots(kind: string | undefined, slots: Slots, { capacity }: Expected): string[] {
  const { claimed, remaining } = slots;
  if (![slots.capacity, claimed, remaining].every(Number.isInteger))
    return ['a field of slots is no whole number'];
  return [
    ...(slots.capacity === capacity ? [] : ['slots.capacity is not the capacity of the job']),
    ...(kind === 'claimed' && (claimed < 1 || claimed > capacity)
      ? ['slots.claimed is not between 1 and the capacity']
      : []),
    ...(kind === 'full' && claimed < capacity ? ['slots.claimed is below the capacity'] : []),
    ...(remaining === Math.max(0, slots.capacity - claimed)
      ? []
      : ['slots.remaining is not slots.capacity less slots.claimed']),
  ];
}

function wrongClaim(claim: object, { claimId, jobId, recruiterId }: Expected): string[] {
  const fields = new Map(Object.entries(claim));
  return Object.entries({ id: claimId, jobId, recruiterId })
    .filter(([name, value]) => fields.has(name) && value !== undefined)
    .filter(([name, value]) => `${fields.get(name)}` !== `${value}`)
    .map(([name]) => `claim.${name} is not the one in the table`);
}
