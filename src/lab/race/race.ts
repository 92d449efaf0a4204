import { z } from 'zod';
import { UsageError } from '../../platform/process/errors.ts';
import type { RaceSize, Standing } from '../chapter.ts';

export interface RaceOrder extends RaceSize {
  rounds: number;
}

export interface RaceAnswer {
  /** The number of the session, from 1. It is not an id, since ids differ between databases. */
  session: number;
  status: number;
  /** The standard words for the status, such as `OK`. */
  reason: string;
}

export interface Round {
  /** The answers, in the order of their arrival. */
  answers: RaceAnswer[];
  /** The result, counted in the tables after the last answer. */
  standing: Standing;
}

/** A round over HTTP, with its costs. */
export interface TimedRound extends Round {
  /** The time from the first request to the last answer. */
  milliseconds: number;
  /**
   * The number of transactions that the requests began. Undefined for older servers, which do not
   * report this number.
   */
  transactions: number | undefined;
}

export interface RaceResult extends Pick<StrategyInfo, 'chapter' | 'promise'> {
  strategy: string;
  /** In how many rounds each fault was found. */
  faults: Record<string, number>;
  /** The highest number of successes in one round. */
  worst: number;
  /** The number of answers with each HTTP status. */
  statuses: Record<string, number>;
}

/** Returns the result before the first round. */
export const newResult = ({ chapter, name, promise }: Omit<StrategyInfo, 'idea'>): RaceResult => ({
  chapter,
  strategy: name,
  promise,
  faults: {},
  worst: 0,
  statuses: {},
});

export function addRound(result: RaceResult, { standing, answers }: Round) {
  for (const fault of standing.faults) result.faults[fault] = (result.faults[fault] ?? 0) + 1;
  result.worst = Math.max(result.worst, standing.taken);
  for (const { status } of answers) result.statuses[status] = (result.statuses[status] ?? 0) + 1;
}

const strategyInfo = z.object({
  chapter: z.string(),
  name: z.string(),
  idea: z.string(),
  promise: z.string(),
});
const begun = z.object({ race: z.string(), requests: z.array(z.string()) });
const standing = z.object({
  capacity: z.number(),
  taken: z.number(),
  faults: z.array(z.string()),
  summary: z.string(),
  transactions: z.number().optional(),
});

export type StrategyInfo = z.infer<typeof strategyInfo>;

const BUSY = 503;
/**
 * The maximum time for an answer. The server's own limits are much shorter, so a later answer would
 * never come.
 */
const ANSWER_TIMEOUT_MS = 60_000;

/**
 * Returns the strategies of the server at `url`. Throws a `UsageError` if the server has no lab.
 */
export const listStrategies = (url: string, stop: AbortSignal): Promise<StrategyInfo[]> =>
  ask(url, '/lab/strategies', { signal: stop }, z.array(strategyInfo));

/**
 * Races one strategy over HTTP. Each round has new rows. All sessions send their requests at the
 * same time, each over its own connection. Then the server counts the successes in the tables.
 */
export async function race(
  url: string,
  strategy: Omit<StrategyInfo, 'idea'>,
  order: RaceOrder,
  onRound: (round: TimedRound, done: number) => void,
  stop: AbortSignal,
): Promise<RaceResult> {
  const result = newResult(strategy);
  for (let done = 1; done <= order.rounds; done++) {
    const round = await raceOnce(url, `${strategy.chapter}/${strategy.name}`, order, stop);
    addRound(result, round);
    onRound(round, done);
  }
  return result;
}

async function raceOnce(
  url: string,
  strategy: string,
  { capacity, sessions }: RaceSize,
  stop: AbortSignal,
): Promise<TimedRound> {
  const body = JSON.stringify({ strategy, capacity, recruiters: sessions });
  const order = { method: 'POST', body, signal: stop };
  const { race, requests } = await ask(url, '/lab/races', order, begun);
  const address = `/lab/races/${encodeURIComponent(race)}`;
  try {
    const answers: RaceAnswer[] = [];
    const send = async (request: string, index: number) => {
      const response = await call(url, `${address}/${request}`, {});
      await response.text();
      answers.push({ session: index + 1, status: response.status, reason: response.statusText });
    };
    const began = performance.now();
    // We wait for the end of every request before we remove the race.
    const sent = await Promise.allSettled(requests.map(send));
    const milliseconds = performance.now() - began;
    const failed = sent.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
    const { transactions, ...end } = await ask(url, address, { signal: stop }, standing);
    return { answers, standing: end, milliseconds, transactions };
  } finally {
    await ask(url, address, { method: 'DELETE' }, z.unknown());
  }
}

/**
 * Sends a request, and returns the JSON of an answer that has this shape. Throws a `UsageError` for
 * any other answer.
 */
async function ask<T>(url: string, path: string, init: RequestInit, shape: z.ZodType<T>) {
  const response = await call(url, path, init);
  const body = shape.safeParse(await response.json().catch(() => undefined));
  if (response.ok && body.success) return body.data;
  const { method = 'GET' } = init;
  const answered = `The server at ${url} answered ${method} ${path} with ${response.status}`;
  if (response.status === BUSY)
    throw new UsageError(`${answered}: it is busy, or has no database for a race. Try again.`);
  throw new UsageError(`${answered}. It is no Rowlock in workshop mode. LAB=on starts this mode.`);
}

async function call(url: string, path: string, init: RequestInit): Promise<Response> {
  const timeout = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
  try {
    return await fetch(new URL(path, url), { ...init, signal });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new UsageError(`No answer from the server at ${url} (${reasonOf(error as Error)}).`);
  }
}

/**
 * Returns the reason in words. The error of a time limit also has a code, but this code is a number
 * that tells nothing.
 */
function reasonOf(error: Error): string {
  if (error.name === 'TimeoutError') return 'it took too long';
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  return code ?? message;
}
