import { z } from 'zod';
import { UsageError } from '../../process/errors.ts';
import type { RaceSize, Standing } from '../chapter.ts';

export interface RaceOrder extends RaceSize {
  rounds: number;
}

export interface Answer {
  /** The session's place at the start, from 1: ids differ from one database to the next. */
  session: number;
  status: number;
  /** The words that HTTP has for the status. */
  reason: string;
}

export interface Round {
  /** In the order in which they arrived. */
  answers: Answer[];
  /** Counted in the tables after the last answer. */
  standing: Standing;
}

export interface RaceResult extends Pick<StrategyInfo, 'chapter' | 'promise'> {
  strategy: string;
  /** In how many rounds each fault was found. */
  faults: Record<string, number>;
  /** The most that the sessions of one round had. */
  worst: number;
  /** How many answers had which HTTP status. */
  statuses: Record<string, number>;
}

/** The result before the first round. */
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
});

export type StrategyInfo = z.infer<typeof strategyInfo>;

const BUSY = 503;
/** Far past the server's own bounds: an answer that takes longer never comes. */
const ANSWER_TIMEOUT_MS = 60_000;

/** The strategies that the server at `url` has. Throws a `UsageError` if the server has no lab. */
export const listStrategies = (url: string, stop: AbortSignal): Promise<StrategyInfo[]> =>
  ask(url, '/lab/strategies', { signal: stop }, z.array(strategyInfo));

/**
 * Races one strategy over HTTP. Each round has new rows: all sessions make their request at once, over
 * a connection each, and then the tables are counted.
 */
export async function race(
  url: string,
  strategy: Omit<StrategyInfo, 'idea'>,
  order: RaceOrder,
  onRound: (round: Round, done: number) => void,
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
): Promise<Round> {
  const body = JSON.stringify({ strategy, capacity, recruiters: sessions });
  const order = { method: 'POST', body, signal: stop };
  const { race, requests } = await ask(url, '/lab/races', order, begun);
  const address = `/lab/races/${encodeURIComponent(race)}`;
  try {
    const answers: Answer[] = [];
    const send = async (request: string, index: number) => {
      const response = await call(url, `${address}/${request}`, {});
      await response.text();
      answers.push({ session: index + 1, status: response.status, reason: response.statusText });
    };
    // Every request ends before the race is removed.
    const sent = await Promise.allSettled(requests.map(send));
    const failed = sent.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
    return { answers, standing: await ask(url, address, { signal: stop }, standing) };
  } finally {
    await ask(url, address, { method: 'DELETE' }, z.unknown());
  }
}

/** The JSON of an answer that has this shape. Throws a `UsageError` for any other answer. */
async function ask<T>(url: string, path: string, init: RequestInit, shape: z.ZodType<T>) {
  const response = await call(url, path, init);
  const body = shape.safeParse(await response.json().catch(() => undefined));
  if (response.ok && body.success) return body.data;
  const { method = 'GET' } = init;
  const answered = `The server at ${url} answered ${method} ${path} with ${response.status}`;
  if (response.status === BUSY)
    throw new UsageError(`${answered}: it is busy, or has no database for a race. Try again.`);
  throw new UsageError(
    `${answered}, not as a Rowlock in workshop mode does. Start that with LAB=on.`,
  );
}

async function call(url: string, path: string, init: RequestInit): Promise<Response> {
  const timeout = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
  try {
    return await fetch(new URL(path, url), { ...init, signal });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    const { code } = ((error as Error).cause ?? error) as { code?: string };
    throw new UsageError(`No answer from the server at ${url} (${code ?? 'it took too long'}).`);
  }
}
