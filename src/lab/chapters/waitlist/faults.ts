import { engineFaults, type Fault, type Pledge } from '../../chapter.ts';

const oversold: Fault = {
  name: 'oversold',
  fact: 'never more claims than slots',
  inWords: 'oversold',
  verdict: 'oversells',
  dare: 'Can you oversell it?',
};
const overtaken: Fault = {
  name: 'overtaken',
  fact: 'first come, first served',
  inWords: 'let somebody overtake a recruiter in line',
  verdict: 'lets people overtake the line',
  dare: 'Can you overtake somebody who waits?',
};
const idle: Fault = {
  name: 'idle',
  fact: 'no slot is idle while somebody waits',
  inWords: 'left a slot idle',
  verdict: 'leaves a slot idle',
  dare: 'Can you leave a slot idle while somebody waits?',
};
const lost: Fault = {
  name: 'lost',
  fact: 'nobody loses a slot or a place in a line',
  inWords: 'lost a slot or a place',
  verdict: 'loses a slot or a place',
  dare: 'Can you make somebody lose a slot or a place?',
};
const untrue: Fault = {
  name: 'untrue',
  fact: 'every answer is true, and every offer has an end',
  inWords: 'gave a false answer',
  verdict: 'fails',
  dare: 'Can you make it give a false answer?',
};

const { deadlock, hang, error } = engineFaults;

export const faults: readonly [Fault, ...Fault[]] = [
  oversold,
  overtaken,
  idle,
  lost,
  deadlock,
  untrue,
  hang,
  error,
];

export const promises = {
  line: {
    inWords: 'first come, first served, and no idle slot',
    brokenBy: [oversold, overtaken, idle, lost],
  },
} as const satisfies Record<string, Pledge>;

/** What is wrong at the end of a schedule. */
export interface LineEnd {
  isOversold: boolean;
  /** How many recruiters in line were overtaken. */
  overtaken: number;
  /** How many slots are free although somebody waits. */
  idle: number;
  /** Whether somebody lost a slot or a place, at this job or at the other job. */
  hasLost: boolean;
  isTrue: boolean;
}

export function faultsOf({ isOversold, overtaken: passed, idle: free, hasLost, isTrue }: LineEnd) {
  const found: [Fault, boolean][] = [
    [oversold, isOversold],
    [overtaken, passed > 0],
    [idle, free > 0],
    [lost, hasLost],
    [untrue, !isTrue],
  ];
  return found.filter(([, isFound]) => isFound).map(([{ name }]) => name);
}
