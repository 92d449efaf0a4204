import { figuresOf } from '../check.ts';
import type { Asks } from '../load/asks.ts';
import type { Heard } from '../load/load.ts';
import { compare } from '../measure.ts';
import { type Figures, type Measurement, median } from '../rounds.ts';
import { crowdsAt, FREE_JOBS, type Scenario, type Stand, spreadClaims } from '../stand.ts';
import { inTurn, rateIn } from './scenarios.ts';

/**
 * The honest crowd claims jobs of the first half. The other crowd names jobs of the second half, or
 * jobs that do not exist.
 */
const HALF = FREE_JOBS / 2;
const otherJobs = { firstJob: HALF + 1, jobs: HALF };
const honestClaims = { ...spreadClaims, jobs: HALF };

interface Crowd {
  asks: Asks;
  /** The expected status of the answers to this crowd. */
  status: number;
}

const VALID = 'valid claims';
const crowds: Record<string, Crowd> = {
  [VALID]: { asks: { ...spreadClaims, ...otherJobs }, status: 200 },
  'no such recruiter': { asks: { kind: 'no-recruiter', ...otherJobs }, status: 404 },
  'no such job': { asks: { kind: 'no-job' }, status: 404 },
  // Each request repeats the same claim. The job never becomes full, so each request needs a
  // transaction.
  'already claimed': {
    asks: { kind: 'path', path: `/claim-job?jobId=${otherJobs.firstJob}&recruiterId=1` },
    status: 409,
  },
};

/**
 * Measures honest claims while a second crowd makes impossible claims. Compares them with honest
 * claims while the second crowd makes valid claims.
 */
export const impossible: Scenario = async (stand) => {
  const measurements = Object.entries(crowds).map(([name, crowd]) => [
    name,
    measureBeside(stand, crowd),
  ]);
  const rounds = await inTurn(stand, 'impossible', Object.fromEntries(measurements));
  const rate = rateIn(rounds);
  const p50 = (name: string) => ({ name, value: median(rounds[name] ?? [], 'p50') });
  const refused = Object.keys(crowds).filter((name) => name !== VALID);
  return {
    rounds,
    measures: refused.flatMap((name) => [
      compare('honest claims beside a crowd', 'claims/s', rate(name), rate(VALID), {
        at: 'least',
        limit: 0.8,
      }),
      compare('honest claims beside a crowd, p50', 'ms', p50(name), p50(VALID)),
    ]),
  };
};

const measureBeside =
  (stand: Stand, { asks, status }: Crowd): Measurement =>
  async (): Promise<Figures> => {
    const [honest, others] = await crowdsAt(stand, stand.group, [honestClaims, asks]);
    figuresOf('the crowd beside honest claims', others as Heard, status);
    return figuresOf('honest claims beside a crowd', honest as Heard, 200);
  };
