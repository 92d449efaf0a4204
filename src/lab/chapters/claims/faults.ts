import { engineFaults, type Fault, type Pledge } from '../../chapter.ts';

const oversold: Fault = {
  name: 'oversold',
  fact: 'never more claims than slots',
  inWords: 'oversold',
  verdict: 'oversells',
  dare: 'Can you oversell it?',
};
/** Somebody was turned away though a slot is free. */
const unsold: Fault = {
  name: 'unsold',
  fact: 'nobody is turned away while a slot is free',
  inWords: 'unsold',
  verdict: 'undersells',
  dare: 'Can you turn somebody away though a slot is free?',
};
const untrue: Fault = {
  name: 'untrue',
  fact: 'every answer is true',
  inWords: 'gave a false answer',
  verdict: 'fails',
  dare: 'Can you make it give a false answer?',
};

const { deadlock, hang, error } = engineFaults;

export const faults: readonly [Fault, ...Fault[]] = [
  oversold,
  deadlock,
  unsold,
  untrue,
  hang,
  error,
];

export const promises = {
  capacity: { inWords: 'the capacity', brokenBy: [oversold] },
} as const satisfies Record<string, Pledge>;

/**
 * Returns the names of the faults. The table alone shows `oversold`. The other faults need the
 * answers too.
 */
export function faultsOf({
  capacity,
  claims,
  wasOversold = false,
  isUnsold = false,
  isTrue = true,
}: {
  capacity: number;
  /** The number of claims in the table. The answers may suggest another number. */
  claims: number;
  /** Whether there were more claims than slots before the end. */
  wasOversold?: boolean;
  /** Whether somebody was turned away though a slot was free. */
  isUnsold?: boolean;
  isTrue?: boolean;
}): string[] {
  const found = [];
  if (claims > capacity || wasOversold) found.push(oversold);
  if (isUnsold) found.push(unsold);
  if (!isTrue) found.push(untrue);
  return found.map(({ name }) => name);
}
