import { engineFaults, type Fault, type Pledge } from '../../chapter.ts';
import type { Answer } from './strategy.ts';

const twice: Fault = {
  name: 'twice',
  fact: 'no request is done twice',
  inWords: 'did a request twice',
  verdict: 'does a request twice',
  dare: 'Can you charge the client twice?',
};
/** The request was not done, but its key looks used. So no repeat will ever do the request. */
const zombie: Fault = {
  name: 'zombie',
  fact: 'every request is done in the end',
  inWords: 'never did a request',
  verdict: 'never does a request',
  dare: 'Can you make sure that the request is never done?',
};
const untrue: Fault = {
  name: 'untrue',
  fact: 'nobody is told that a request is done though nobody does it',
  inWords: 'told a client that a request is done, though it never was',
  verdict: 'lies to a client',
  dare: 'Can you make it say “done” though the request is never done?',
};
const stuck: Fault = {
  name: 'stuck',
  fact: 'no client is told to wait for ever',
  inWords: 'told a client to wait for ever',
  verdict: 'lets a client wait for ever',
  dare: 'Can you make the client wait for ever?',
};
const untold: Fault = {
  name: 'untold',
  fact: 'every client is told in the end that its request is done',
  inWords: 'never told the client that its request is done',
  verdict: 'never tells the client',
  dare: 'Can you charge the client, and never tell it?',
};
const differing: Fault = {
  name: 'differing',
  fact: 'each repeat gets the same answer',
  inWords: 'gave two different answers',
  verdict: 'gives different answers',
  dare: 'Can you get two different answers to one request?',
};

const { deadlock, hang, error } = engineFaults;

export const faults: readonly [Fault, ...Fault[]] = [
  twice,
  zombie,
  untrue,
  stuck,
  untold,
  deadlock,
  differing,
  hang,
  error,
];

export const promises = {
  once: {
    inWords: 'to do each request once',
    brokenBy: [twice, zombie, untrue, stuck, untold, differing],
  },
} as const satisfies Record<string, Pledge>;

/**
 * An answer as the client receives it. `error` is HTTP 500. `nothing` means that the server died
 * before it answered.
 */
export type Heard = Answer | { kind: 'error' } | { kind: 'nothing' };

/** The state of the request after the client has asked for the last time. */
export interface RequestEnd {
  /** The receipts of all charges for the request, inside and outside the database. */
  receipts: readonly string[];
  /**
   * Whether the client was told that it was charged, though nobody had charged it. Such a client
   * does not ask again.
   */
  wasDeceived: boolean;
  /** All answers to the client, in the order of their arrival. */
  heard: readonly Heard[];
}

/** A server that does not know the receipt answers without one. */
const NONE = 'null';

export function faultsOf({ receipts, wasDeceived, heard }: RequestEnd): string[] {
  const charges = receipts.length;
  // PostgreSQL's driver returns a bigint as text. A client sees no difference.
  const told = heard.flatMap((answer) =>
    answer.kind === 'done' ? [`${answer.receipt ?? null}`] : [],
  );
  const last = heard.at(-1)?.kind;
  const wasTold = told.length > 0;
  const isInvented = told.some((receipt) => receipt !== NONE && !receipts.includes(receipt));
  const found: [Fault, boolean][] = [
    [twice, charges > 1],
    [zombie, charges === 0 || wasDeceived],
    [untrue, wasDeceived || isInvented],
    [stuck, last === 'running'],
    [untold, charges > 0 && !wasTold],
    // Before the first receipt, a client may be told to ask again. After a receipt, this is a
    // fault.
    [differing, new Set(told).size > 1 || (wasTold && last !== 'done')],
  ];
  return found.filter(([, isFound]) => isFound).map(([{ name }]) => name);
}
