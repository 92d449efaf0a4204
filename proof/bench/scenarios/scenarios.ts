import { DEFAULT_CAPACITY } from '../../../src/service/claims/rules.ts';
import { expectClaims, figuresOf } from '../check.ts';
import type { Asks } from '../load/asks.ts';
import type { Heard } from '../load/load.ts';
import { compare } from '../measure.ts';
import {
  type Figures,
  type FiguresByName,
  interleave,
  type Measurement,
  median,
} from '../rounds.ts';
import { clearClaims, setEvents } from '../seed.ts';
import {
  crowdsAt,
  FREE_JOBS,
  measureHealth,
  measureSpread,
  type Scenario,
  type SideServer,
  type Stand,
  spreadClaims,
} from '../stand.ts';
import { openPgbench, type Pgbench } from './pgbench.ts';

/** The job that a whole crowd claims. The spread claims reach this job at request 53,533. */
export const HOT_JOB = FREE_JOBS;

/** (a) Measures claims that are spread over many jobs. The service grants each of these claims. */
export const spread: Scenario = async (stand) => {
  const pgbench = await openPgbench(stand.without, FREE_JOBS, stand.arena.stop);
  const measurements: Record<string, Measurement> = {
    textbook: measureSpread(stand, stand.textbook),
    group: measureSpread(stand, stand.group),
    healthz: measureHealth(stand),
  };
  if (pgbench) {
    measurements[BARE] = measurePgbench(stand, pgbench, false);
    measurements[WITH_EVENTS] = measurePgbench(stand, pgbench, true);
  }
  const rounds = await inTurn(stand, 'spread', measurements);
  const rate = rateIn(rounds);
  const what = `claims spread over ${FREE_JOBS.toLocaleString('en')} jobs`;
  return {
    rounds,
    measures: [
      compare(what, 'claims/s', rate('group'), rate('textbook'), { at: 'least', limit: 15 }),
      ...(pgbench
        ? [
            compare(what, 'claims/s', rate('group'), rate(BARE), { at: 'least', limit: 1.5 }),
            compare(what, 'claims/s', rate('group'), rate(WITH_EVENTS)),
          ]
        : []),
      compare(what, 'claims/s', rate('group'), rate('healthz')),
    ],
    notes: [pgbench ? pgbench.version : 'pgbench not found on the PATH: its ratios are left out'],
  };
};

/**
 * The measurements with pgbench, without and with the triggers for events. They show the maximum
 * rate with one claim in each transaction.
 */
const BARE = 'pgbench';
const WITH_EVENTS = 'pgbench with events';

export const measurePgbench =
  (stand: Stand, pgbench: Pgbench, appends: boolean): Measurement =>
  async () => {
    await setEvents(stand.without, true);
    await clearClaims(stand.without);
    await setEvents(stand.without, appends);
    const { perSecond, transactions } = await pgbench.claim(stand.seconds);
    await expectClaims('spread claims, pgbench', stand.without, transactions);
    return { perSecond };
  };

/** (b) Measures claims of one hot job. The job is full after a few claims and refuses the rest. */
export const hot: Scenario = async (stand) => {
  const rounds = await inTurn(stand, 'hot', {
    textbook: measureHot(stand, stand.textbook),
    group: measureHot(stand, stand.group),
    healthz: measureHealth(stand),
  });
  const rate = rateIn(rounds);
  const what = 'refusals of one hot job';
  return {
    rounds,
    measures: [
      compare(what, 'refusals/s', rate('group'), rate('textbook')),
      compare(what, 'refusals/s', rate('group'), rate('healthz'), { at: 'least', limit: 0.6 }),
    ],
  };
};

const measureHot =
  (stand: Stand, server: SideServer): Measurement =>
  async () => {
    const what = `one hot job, ${server.side}`;
    const [heard] = await crowdsAt(stand, server, [{ kind: 'one-job', jobId: HOT_JOB }]);
    await expectClaims(what, server.url, DEFAULT_CAPACITY);
    // The service grants the first few claims. We drop these answers, because they are no refusals.
    const { 200: _granted, ...statuses } = (heard as Heard).statuses;
    return figuresOf(what, { ...(heard as Heard), statuses }, 403);
  };

/** (c) Compares spread claims with and without a second crowd that claims one hot job. */
export const beside: Scenario = async (stand) => {
  const { textbook, group } = stand;
  const rounds = await inTurn(stand, 'beside', {
    'textbook, no crowd': measureSpread(stand, textbook),
    'textbook, crowd': measureBeside(stand, textbook),
    'group, no crowd': measureSpread(stand, group),
    'group, crowd': measureBeside(stand, group),
  });
  const latencies = (side: string, figure: 'p50' | 'p99', limit?: number) => {
    const of = (name: string) => ({ name, value: median(rounds[name] ?? [], figure) });
    return compare(
      `spread claims beside a crowd, ${figure}`,
      'ms',
      of(`${side}, crowd`),
      of(`${side}, no crowd`),
      limit === undefined ? undefined : { at: 'most', limit },
    );
  };
  return {
    rounds,
    measures: [
      latencies('textbook', 'p50'),
      latencies('textbook', 'p99'),
      latencies('group', 'p50'),
      latencies('group', 'p99', 2),
    ],
  };
};

const measureBeside =
  (stand: Stand, server: SideServer): Measurement =>
  async () => {
    const crowd: Asks = { kind: 'one-job', jobId: HOT_JOB };
    const [heard] = await crowdsAt(stand, server, [spreadClaims, crowd]);
    return figuresOf(`spread claims beside a crowd, ${server.side}`, heard as Heard, 200);
  };

/** (d) Measures claims of a single client, which waits for each answer before its next claim. */
export const alone: Scenario = async (stand) => {
  const rounds = await inTurn(stand, 'alone', {
    textbook: measureSpread(stand, stand.textbook, 1),
    group: measureSpread(stand, stand.group, 1),
    healthz: measureHealth(stand, 1),
  });
  const of = (name: string, figure: string) => ({
    name,
    value: median(rounds[name] ?? [], figure),
  });
  const what = 'a claim of one client alone';
  return {
    rounds,
    measures: [
      compare(`${what}, p50`, 'ms', of('group', 'p50'), of('textbook', 'p50'), {
        at: 'most',
        limit: 1.1,
      }),
      compare(`${what}, p99`, 'ms', of('group', 'p99'), of('textbook', 'p99')),
      compare(`${what}, p50`, 'ms', of('group', 'p50'), of('healthz', 'p50')),
    ],
  };
};

/** Makes the measurements in rounds, and reports the progress. */
export const inTurn = (
  { rounds, onProgress, arena }: Stand,
  scenario: string,
  measurements: Record<string, Measurement>,
): Promise<FiguresByName<string>> =>
  interleave(rounds, measurements, (name, round) => {
    arena.stop.throwIfAborted();
    const which = round === 0 ? 'warming up' : `round ${round} of ${rounds}`;
    onProgress(`${scenario}: ${which}, ${name}`);
  });

/**
 * Returns the stand with three times as many rounds, each half as long. Then a pause of the disk or
 * a busy neighbour spoils only a few rounds, and not the median.
 */
export const inShortRounds = (stand: Stand): Stand => ({
  ...stand,
  rounds: 3 * stand.rounds,
  seconds: stand.seconds / 2,
});

export const SHORT_ROUNDS = 'three times as many rounds, each half as long';

export const rateIn = (rounds: Record<string, Figures[]>) => (name: string) => ({
  name,
  value: median(rounds[name] ?? [], 'perSecond'),
});
