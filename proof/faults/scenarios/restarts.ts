import { until } from '../../../src/platform/waiting/until.ts';
import { send } from '../ask.ts';
import { NO_ANSWERS_MS, NoAnswers } from '../load.ts';
import type { FaultCounts, Scenario, Stage } from '../scenario.ts';
import { type ServerProcess, startServerProcess } from '../server-process.ts';

/**
 * The number of answers with a status 2xx or 4xx that must come between two faults. These answers
 * show that the load runs.
 */
const ANSWERS_BETWEEN = 100;
const LOOK_MS = 10;

/** Kills the server in the middle of its work, and starts a new server on the same port. */
export const server: Scenario = {
  name: 'server',
  idea: 'the server killed by SIGKILL and started again, under load',
  servers: 1,
  faults: (stage) =>
    again(stage, async () => {
      const [victim] = stage.servers;
      if (!victim) throw new Error('there is no server to kill');
      stage.servers.shift();
      await victim.kill();
      stage.servers.push(await successorOf(victim, stage));
    }),
};

/** Stops PostgreSQL as if it crashed, and starts PostgreSQL again. The server lives on. */
export const postgres: Scenario = {
  name: 'postgres',
  idea: 'PostgreSQL stopped `immediate` and started again, under load',
  servers: 1,
  stopsPostgres: true,
  faults: (stage) =>
    again(stage, async () => {
      if (!stage.restartPostgres) throw new Error('only a PostgreSQL of our own can be stopped');
      await stage.restartPostgres();
    }),
};

export const successorOf = (victim: ServerProcess, { databaseUrl }: Pick<Stage, 'databaseUrl'>) =>
  startServerProcess(databaseUrl, Number(new URL(victim.url).port));

async function again(stage: Stage, fault: () => Promise<void>): Promise<FaultCounts> {
  const wanted = stage.settings.restarts;
  const answeredAgainMs: number[] = [];
  for (let restarts = 0; restarts < wanted; restarts++) {
    stage.progress(`${restarts} of ${wanted} restarts`);
    await underLoad(stage);
    const stopped = Date.now();
    await fault();
    await untilAnswered(stage);
    answeredAgainMs.push(Date.now() - stopped);
  }
  await underLoad(stage);
  return { restarts: wanted, answeredAgainMs };
}

/** Resolves when 100 more answers with a status 2xx or 4xx have come. */
export const underLoad = ({ load, stop }: Stage) => load.pass(ANSWERS_BETWEEN, stop);

/**
 * Resolves when every server answers a request that needs the database. Throws `NoAnswers` if this
 * takes too long.
 */
async function untilAnswered({ servers, stop }: Stage) {
  for (const { url } of servers) {
    const answers = async () => {
      const reply = await send(url, { path: '/jobs?limit=1', method: 'GET' });
      return reply.kind === 'answer' && reply.status === 200;
    };
    if (!(await until(answers, { everyMs: LOOK_MS, withinMs: NO_ANSWERS_MS, stop })))
      throw new NoAnswers(`a server read no jobs within ${NO_ANSWERS_MS} ms after a restart`);
  }
}
