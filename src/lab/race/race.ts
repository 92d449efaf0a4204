import { z } from 'zod';
import { UsageError } from '../../process/errors.ts';
import { isOversold } from '../chapters/claims/faults.ts';

export interface RaceSettings {
  recruiters: number;
  capacity: number;
  rounds: number;
}

export interface Answer {
  /** The recruiter's place at the start, from 1: ids differ from one database to the next. */
  recruiter: number;
  status: number;
  /** The words that HTTP has for the status. */
  reason: string;
}

export interface Round {
  /** In the order in which they arrived. */
  answers: Answer[];
  /** Claims counted in the table after the last answer. */
  claims: number;
}

export interface RaceResult {
  strategy: string;
  promise: StrategyInfo['promise'];
  roundsOversold: number;
  /** The most claims that one job had in the table. */
  worst: number;
  /** How many answers had which HTTP status. */
  statuses: Record<string, number>;
}

/** What is known of a strategy before its first round. */
export const newResult = (strategy: string, promise: RaceResult['promise']): RaceResult => ({
  strategy,
  promise,
  roundsOversold: 0,
  worst: 0,
  statuses: {},
});

export function addRound(
  result: RaceResult,
  { claims, answers }: Round,
  { capacity }: Pick<RaceSettings, 'capacity'>,
) {
  if (isOversold({ capacity, claims })) result.roundsOversold++;
  result.worst = Math.max(result.worst, claims);
  for (const { status } of answers) result.statuses[status] = (result.statuses[status] ?? 0) + 1;
}

const anyId = z.union([z.number(), z.string()]);
const strategyInfo = z.object({
  name: z.string(),
  idea: z.string(),
  promise: z.enum(['capacity', 'nothing']),
});
const track = z.object({ race: z.string(), jobId: anyId, recruiterIds: z.array(anyId) });
const standing = z.object({ capacity: z.number(), claims: z.number() });

export type StrategyInfo = z.infer<typeof strategyInfo>;

const BUSY = 503;
/** Far past the server's own bounds: an answer that takes longer never comes. */
const ANSWER_TIMEOUT_MS = 60_000;

/** What the server at `url` has to offer. Throws a `UsageError` when it has no lab. */
export const listStrategies = (url: string, stop: AbortSignal): Promise<StrategyInfo[]> =>
  ask(url, '/lab/strategies', { signal: stop }, z.array(strategyInfo));

/**
 * Races one strategy over HTTP, each round on a fresh job: all recruiters claim at once, over a
 * connection each, and then the claims in the table are counted.
 */
export async function race(
  url: string,
  { name, promise }: StrategyInfo,
  settings: RaceSettings,
  onRound: (round: Round, done: number) => void,
  stop: AbortSignal,
): Promise<RaceResult> {
  const result = newResult(name, promise);
  for (let done = 1; done <= settings.rounds; done++) {
    const round = await runRound(url, name, settings, stop);
    addRound(result, round, settings);
    onRound(round, done);
  }
  return result;
}

async function runRound(
  url: string,
  strategy: string,
  { capacity, recruiters }: RaceSettings,
  stop: AbortSignal,
): Promise<Round> {
  const body = JSON.stringify({ strategy, capacity, recruiters });
  const order = { method: 'POST', body, signal: stop };
  const { race, jobId, recruiterIds } = await ask(url, '/lab/races', order, track);
  const address = `/lab/races/${encodeURIComponent(race)}`;
  try {
    const answers: Answer[] = [];
    const claim = async (recruiterId: number | string, index: number) => {
      const query = `jobId=${jobId}&recruiterId=${recruiterId}`;
      const response = await call(url, `${address}/claim-job?${query}`, {});
      await response.text();
      answers.push({
        recruiter: index + 1,
        status: response.status,
        reason: response.statusText,
      });
    };
    // Every claim ends before the race is removed.
    const claimed = await Promise.allSettled(recruiterIds.map(claim));
    const failed = claimed.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
    const { claims } = await ask(url, address, { signal: stop }, standing);
    return { answers, claims };
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
