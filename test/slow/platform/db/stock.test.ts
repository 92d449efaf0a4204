/**
 * Tests of the query plans of the service, on the PostgreSQL of a Linux distribution with its
 * default settings.
 */
import { beforeAll, beforeEach, describe, test } from 'vitest';
import { makePooler } from '../../../support/pooler.ts';
import { fill, playEverything } from '../../../support/repertoire.ts';
import {
  expectNothingCompiled,
  makeDatabaseOn,
  makeRecordingServer,
  needsCompiledCount,
  open,
  type RecordingServer,
} from '../../../support/stock.ts';

/**
 * The statement that finds open or full jobs. Without statistics, PostgreSQL expects 500 claims for
 * each job, so the plan seems expensive. Only a setting of our sessions keeps PostgreSQL from
 * compiling this statement.
 */
const JOBS_BY_STATUS = /< "jobs"\."capacity"\) order by/;

/**
 * The statement that writes the events of a large batch. Its plan seems expensive for the same
 * reason.
 */
const LARGE_BATCH = /INSERT INTO events/;

describe('PostgreSQL compiles no statement of the service', { tags: ['postgresql'] }, () => {
  let server: RecordingServer;
  let url: string;
  beforeAll(async () => {
    server = await makeRecordingServer();
    url = await makeDatabaseOn(server, 'jobs');
    await fill(url);
    await server.home.run('pg_dump', ['--format=custom', '--file=jobs.dump', url]);
  });

  beforeEach((context) => needsCompiledCount(url, context));

  test('right after 100,000 jobs were loaded', () =>
    expectNothingCompiled(server, url, () => playEverything(url), JOBS_BY_STATUS));

  async function restore(name: string): Promise<string> {
    await server.home.run('createdb', ['--maintenance-db', server.url, name]);
    const restored = Object.assign(new URL(server.url), { pathname: name }).href;
    await server.home.run('pg_restore', ['--exit-on-error', '--dbname', restored, 'jobs.dump']);
    return restored;
  }

  test('even if the settings of the database make nearly every plan look expensive', async () => {
    const restored = await restore('eager');
    await open(restored)`ALTER DATABASE eager SET jit_above_cost = 1`;
    await expectNothingCompiled(server, restored, () => playEverything(restored), /^/);
  });

  test('in the triggers of a large insert by plain SQL', () =>
    expectNothingCompiled(
      server,
      url,
      async () => {
        await open(url)`INSERT INTO job_claims (job_id, recruiter_id)
        SELECT id, 1 FROM jobs WHERE id BETWEEN 50000 AND 52000`;
      },
      LARGE_BATCH,
    ));

  test('after a dump, a restore and ANALYZE', async () => {
    const restored = await restore('analyzed');
    await open(restored)`ANALYZE`;
    await expectNothingCompiled(server, restored, () => playEverything(restored));
  });

  test.each(['session', 'transaction'] as const)(
    'after a dump and a restore, behind PgBouncer in %s mode',
    { tags: ['pgbouncer'] },
    async (mode) => {
      const restored = await restore(`behind_${mode}`);
      const pooler = mode === 'transaction' ? mode : undefined;
      const front = { url: await makePooler(restored, { mode }), pooler };
      const play = () => playEverything(restored, front);
      await expectNothingCompiled(server, restored, play, JOBS_BY_STATUS);
    },
  );
});
