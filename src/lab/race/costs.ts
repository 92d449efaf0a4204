import { plainTable } from '../../platform/process/plain-table.ts';
import type { TimedRound } from './race.ts';

/** The costs of one round. */
export interface RoundCosts extends Pick<TimedRound, 'milliseconds' | 'transactions'> {
  requests: number;
}

/** The costs of a strategy in a race. */
export interface Costs {
  strategy: string;
  /** The median time of the rounds, from the first request to the last answer. */
  milliseconds: number;
  /**
   * The mean number of transactions of a request. Undefined if the server does not count
   * transactions.
   */
  transactions: number | undefined;
}

/** Sums up the costs of all rounds of a strategy. */
export function costsOf(strategy: string, rounds: readonly RoundCosts[]): Costs {
  const times = rounds.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const begun = sum(rounds.map(({ transactions = Number.NaN }) => transactions));
  const requests = sum(rounds.map((round) => round.requests));
  const transactions = Number.isNaN(begun) ? undefined : begun / requests;
  return { strategy, milliseconds: times[Math.floor(times.length / 2)] ?? 0, transactions };
}

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);

/** Returns the costs as a table, and a sentence that says how to read the table. */
export const describeCosts = (costs: readonly Costs[]): string =>
  [
    '',
    plainTable(
      ['strategy', 'ms per round', 'transactions per request'],
      costs.map(({ strategy, milliseconds, transactions }) => [
        strategy,
        milliseconds.toFixed(0),
        transactions?.toFixed(2) ?? 'unknown',
      ]),
      [1, 2],
    ),
    '',
    'A round ends when everybody has an answer. More than 1.00 transactions: work was done twice.',
  ].join('\n');
