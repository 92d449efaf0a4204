import type postgres from 'postgres';
import { inTime } from '../../../src/platform/waiting/deadline.ts';
import { DEFAULT_CAPACITY } from '../../../src/service/claims/rules.ts';
import { onDatabase } from '../audit.ts';
import { NO_ANSWERS_MS, NoAnswers } from '../load.ts';
import type { Scenario, Stage } from '../scenario.ts';
import { underLoad } from './restarts.ts';

const ROUNDS = 5;
const CROWD = 24;

/**
 * Checks that several servers on one database behave like one server, even after one of these
 * servers is killed.
 */
export const serversAsOne = (servers: number): Scenario => ({
  name: `${servers} servers`,
  idea: `a crowd on the same jobs through ${servers} servers on one database; then one is killed`,
  servers,
  async faults(stage) {
    for (let round = 1; round <= ROUNDS; round++) {
      stage.stop.throwIfAborted();
      stage.progress(`${round} of ${ROUNDS} crowds`);
      await crowd(stage);
    }
    await underLoad(stage);
    await stage.servers.pop()?.kill();
    await underLoad(stage);
    return {};
  },
});

/**
 * Lets 24 recruiters claim the same new job at the same time. Each recruiter sends two copies of
 * one request with the same key at the same time, each to a random server.
 */
async function crowd({ databaseUrl, load, ledger }: Stage) {
  const { jobId, recruiterIds } = await onDatabase(databaseUrl, newJob);
  const claims = Promise.all(
    recruiterIds.map((recruiterId) =>
      load.settle({ kind: 'claim', jobId, recruiterId }, { keyed: true, again: 'at once' }),
    ),
  );
  const late = () =>
    Promise.reject(new NoAnswers(`a crowd was not answered within ${NO_ANSWERS_MS} ms`));
  const verdicts = await inTime(claims, NO_ANSWERS_MS, late);
  const claimed = verdicts.filter(({ kind }) => kind === 'claimed').length;
  if (claimed !== DEFAULT_CAPACITY)
    ledger.add({
      promise: 'capacity',
      what: `${claimed} of ${CROWD} recruiters were given the ${DEFAULT_CAPACITY} slots of job ${jobId}`,
    });
}

async function newJob(sql: postgres.Sql) {
  const [job] = await sql<{ id: string }[]>`
    INSERT INTO jobs (company_id, role) SELECT min(id), 'Wanted by many' FROM companies
    RETURNING id::text`;
  const recruiters = await sql<{ id: string }[]>`
    SELECT id::text FROM recruiters ORDER BY random() LIMIT ${CROWD}`;
  return { jobId: job?.id ?? '', recruiterIds: recruiters.map(({ id }) => id) };
}
