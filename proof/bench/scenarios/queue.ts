import { POLL_MS } from '../../../src/service/operation/poller.ts';
import { LEASE_MS } from '../../../src/service/queue/limits.ts';
import { alone, type Bar, compare, type Measure } from '../measure.ts';
import { Crew } from '../queue/crew.ts';
import { measurePickUp, measureSize, measureThroughput } from '../queue/measurements.ts';
import { installPeers } from '../queue/peers.ts';
import { measureRecovery } from '../queue/recovery.ts';
import { type ToolName, toolNames } from '../queue/tool.ts';
import { type FiguresByName, type Measurement, median } from '../rounds.ts';
import type { Scenario, Stand } from '../stand.ts';
import { inShortRounds, inTurn, SHORT_ROUNDS } from './scenarios.ts';

const OURS = 'rowlock';
const PEERS = ['graphile-worker', 'pg-boss'] as const satisfies ToolName[];

/** The number of tasks in a measurement of throughput is this number times `--seconds`. */
const TASKS_A_SECOND = 12_500;
/** The size of the database is measured after twice as many tasks. */
const SIZE_FACTOR = 2;
const MOST_PROCESSES = 4;

/**
 * (i) Compares our queue with graphile-worker and pg-boss. The tasks do nothing. The disk sometimes
 * pauses for a tenth of a second, and one such pause decides the p99 of a round. Therefore the
 * pick-up is measured in many short rounds.
 */
export const queue: Scenario = async (stand) => {
  const { arena, onProgress } = stand;
  const peers = await installPeers(arena.stop, onProgress);
  const tasks = Math.round(TASKS_A_SECOND * stand.seconds);
  const crews: Crew[] = [];
  for (const name of toolNames) crews.push(await Crew.open(arena, peers, name, MOST_PROCESSES));
  const throughputs = crews.flatMap((crew): [string, Measurement][] => [
    [`${crew.name}, 1 process`, measureThroughput(crew, 1, tasks)],
    [`${crew.name}, 4 processes`, measureThroughput(crew, MOST_PROCESSES, tasks)],
  ]);
  const short = inShortRounds(stand);
  const pickUps = crews.map((crew): [string, Measurement] => [
    `${crew.name}, pick-up`,
    measurePickUp(crew, short.seconds),
  ]);
  const rounds = {
    ...(await inTurn(stand, 'queue', Object.fromEntries(throughputs))),
    ...(await inTurn(short, 'queue', Object.fromEntries(pickUps))),
  };
  for (const crew of crews) {
    onProgress(`queue: the size of the database, ${crew.name}`);
    rounds[`${crew.name}, size`] = [await measureSize(crew, SIZE_FACTOR * tasks)];
  }
  await recoverAll(stand, crews, rounds);
  const of = figuresOf(rounds);
  return {
    rounds,
    measures: [
      ...throughput(of, '1 process'),
      ...throughput(of, '4 processes'),
      ...pickUp(of),
      ...size(of, SIZE_FACTOR * tasks),
      ...recovery(of),
    ],
    notes: NOTES,
  };
};

/**
 * Measures all recoveries at the same time, because the queues mostly wait. graphile-worker is left
 * out, because its tasks come back four hours after the death of their process.
 */
async function recoverAll({ onProgress }: Stand, crews: Crew[], rounds: FiguresByName<string>) {
  onProgress('queue: recovery after a kill -9');
  await Promise.all(
    crews.map(async (crew) => {
      if (crew.name !== 'graphile-worker')
        rounds[`${crew.name}, recovery`] = [await measureRecovery(crew)];
      crew.stop();
    }),
  );
}

type FiguresOf = (
  tool: ToolName,
  measurement: string,
  figure: string,
) => { name: string; value: number };

const figuresOf =
  (rounds: FiguresByName<string>): FiguresOf =>
  (tool, measurement, figure) => ({
    name: tool,
    value: median(rounds[`${tool}, ${measurement}`] ?? [], figure),
  });

/**
 * Compares our figure with each peer's figure. The bar judges the comparison with the best other
 * queue.
 */
function besidePeers(
  what: string,
  unit: Measure['unit'],
  figure: (tool: ToolName) => { name: string; value: number },
  bar?: Bar,
): Measure[] {
  const peers = PEERS.map(figure).sort((one, other) => one.value - other.value);
  if (bar?.at === 'least') peers.reverse();
  return peers.map((peer, at) =>
    compare(what, unit, figure(OURS), peer, at === 0 ? bar : undefined),
  );
}

const throughput = (of: FiguresOf, processes: string): Measure[] =>
  besidePeers(`tasks in ${processes}`, 'tasks/s', (tool) => of(tool, processes, 'perSecond'), {
    at: 'least',
    limit: 1.2,
  });

/**
 * A worker finds the tasks of other processes by polling, so such a task may wait for this long.
 */
const MOST_ELSEWHERE_MS = 150;

const pickUp = (of: FiguresOf): Measure[] => [
  ...besidePeers('pick-up in the process that made the task, p50', 'ms', (tool) =>
    of(tool, 'pick-up', 'own p50'),
  ),
  ...besidePeers(
    'pick-up in the process that made the task, p99',
    'ms',
    (tool) => of(tool, 'pick-up', 'own p99'),
    { at: 'most', limit: 1 },
  ),
  ...toolNames.map((tool) =>
    alone('pick-up in another process, p50', 'ms', of(tool, 'pick-up', 'other p50')),
  ),
  ...toolNames.map((tool) =>
    alone(
      'pick-up in another process, p99',
      'ms',
      of(tool, 'pick-up', 'other p99'),
      tool === OURS ? { at: 'most', limit: MOST_ELSEWHERE_MS } : undefined,
    ),
  ),
];

const size = (of: FiguresOf, tasks: number): Measure[] =>
  besidePeers(`database after ${tasks.toLocaleString('en')} tasks`, 'MB', (tool) =>
    of(tool, 'size', 'mb'),
  );

const recovery = (of: FiguresOf): Measure[] =>
  ([OURS, 'pg-boss'] as const).map((tool) =>
    alone(
      'tasks run again after kill -9',
      'ms',
      of(tool, 'recovery', 'ms'),
      tool === OURS ? { at: 'most', limit: LEASE_MS + POLL_MS } : undefined,
    ),
  );

const NOTES = [
  `queue: the pick-up has ${SHORT_ROUNDS}`,
  'queue: all queues run on Node 22, which the others need; each has its own database on the same server',
  'queue: rowlock: 500 places; a worker takes further tasks while an acknowledgement is written; after a kill, tasks with no durable acknowledgement run again when the lease of 15 s has ended',
  'queue: graphile-worker: 24 jobs, local queue of 500, completion batched with no delay; a worker takes further tasks while an acknowledgement is written; after a kill, tasks with no durable acknowledgement run again after 4 hours, so recovery is not measured',
  'queue: pg-boss: batches of 500, two workers, burst, LISTEN/NOTIFY, heartbeat of 10 s; the acknowledgements of a batch are durable together, before the worker takes its next batch',
];
