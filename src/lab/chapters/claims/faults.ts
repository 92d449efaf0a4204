import { engineFaults, type Fault, type Pledge } from '../../chapter.ts';

const oversold: Fault = {
  name: 'oversold',
  fact: 'never more claims than slots',
  inWords: 'oversold',
  verdict: 'oversells',
};
/** Somebody was turned away though a slot is free. */
const unsold: Fault = {
  name: 'unsold',
  fact: 'nobody is turned away while a slot is free',
  inWords: 'unsold',
  verdict: 'undersells',
};
const untrue: Fault = {
  name: 'untrue',
  fact: 'every answer is true',
  inWords: 'told somebody what is not true',
  verdict: 'fails',
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
  capacity: { inWords: 'the capacity', brokenBy: oversold },
} as const satisfies Record<string, Pledge>;

/** The faults that the table alone shows, and those that the answers add to it. */
export function faultsOf({
  capacity,
  claims,
  refused = 0,
  isTrue = true,
}: {
  capacity: number;
  /** Claims counted in the table, and not by the answers. */
  claims: number;
  refused?: number;
  isTrue?: boolean;
}): string[] {
  const found = [];
  if (claims > capacity) found.push(oversold);
  if (claims < capacity && refused > 0) found.push(unsold);
  if (!isTrue) found.push(untrue);
  return found.map(({ name }) => name);
}
