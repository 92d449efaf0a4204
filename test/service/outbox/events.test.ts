import { type SQL, sql } from 'drizzle-orm';
import postgres from 'postgres';
import { beforeEach, describe, expect, test } from 'vitest';
import { claimJob } from '../../../src/service/claims/claim.ts';
import { clearClaims } from '../../../src/service/operation/clearing.ts';
import { makeApp } from '../../support/app.ts';
import { atEnd } from '../../support/command.ts';
import { untilWaitedFor } from '../../support/locks.ts';
import { flushStatistics } from '../../support/statistics.ts';

let made: Awaited<ReturnType<typeof makeApp>>;
let seen: bigint;

beforeEach(async () => {
  made = await makeApp();
  await made.db.execute(sql`DELETE FROM events`);
  seen = 0n;
});

/** Returns the events since the last call, in the order of their ids. */
async function appended(): Promise<string[]> {
  const rows = await made.db.execute(sql`
    SELECT id, format('job %s #%s %s%s, %s of %s', job_id, number, kind,
      CASE WHEN recruiter_id IS NOT NULL THEN ' by ' || recruiter_id END, claimed, capacity) AS words
    FROM events WHERE id > ${seen} ORDER BY id`);
  seen = BigInt(String(rows.at(-1)?.id ?? seen));
  return rows.map(({ words }) => String(words));
}

const run = (statement: SQL) => made.db.execute(statement);
const claim = async (jobId: number, recruiterId: number, leaseSeconds?: number) => {
  const path = `/jobs/${jobId}/claims`;
  const { status, body } = await made.call('POST', path, { recruiterId, leaseSeconds });
  expect(status).toBe(201);
  return body.claim.id as number;
};
/** Sends a request again while a busy machine is too slow for it. The request must succeed. */
const untilFree = async (...request: Parameters<typeof made.call>) => {
  let answer = await made.call(...request);
  while (answer.status === 503) {
    expect(answer.body.code).toBe('busy');
    answer = await made.call(...request);
  }
  expect(answer.status).toBe(200);
};
const letLeasesEnd = () => run(sql`UPDATE job_claims SET expires_at = statement_timestamp()`);

describe('the service appends', () => {
  test('an event for each claim of a batch, in one transaction', async () => {
    await Promise.all([claim(1, 1), claim(2, 1), claim(1, 2)]);
    const [transactions] = await run(sql`SELECT count(DISTINCT xid)::int AS count FROM events`);
    expect(transactions).toEqual({ count: 1 });
    expect((await appended()).sort()).toEqual([
      'job 1 #1 claimed by 1, 1 of 4',
      'job 1 #2 claimed by 2, 2 of 4',
      'job 2 #1 claimed by 1, 1 of 4',
    ]);
  });

  test('one event for a claim that is sent twice with the same idempotency key', async () => {
    const path = '/claim-job?jobId=1&recruiterId=1';
    const headers = { 'Idempotency-Key': 'a-key' };
    for (let times = 0; times < 2; times++)
      expect((await made.call('GET', path, undefined, headers)).status).toBe(200);
    expect(await appended()).toEqual(['job 1 #1 claimed by 1, 1 of 4']);
  });

  test('an event for a renewal and an event for a release, with the claim and its lease', async () => {
    const id = await claim(1, 1, 60);
    await appended();
    const { body } = await made.call('POST', `/claims/${id}/renew`, { leaseSeconds: 90 });
    await made.call('DELETE', `/claims/${id}`);
    const rows = await run(sql`
      SELECT kind, claim_id::int, role, company_id::int, expires_at = ${body.claim.expiresAt} AS same
      FROM events WHERE id > ${seen} ORDER BY id`);
    const { role, company } = (await made.call('GET', '/jobs/1')).body;
    const about = { claim_id: id, role, company_id: company.id };
    expect(rows).toMatchObject([
      { kind: 'renewed', ...about },
      { kind: 'released', ...about },
    ]);
    expect(await appended()).toEqual([
      'job 1 #2 renewed by 1, 1 of 4',
      'job 1 #3 released by 1, 0 of 4',
    ]);
  });

  test('an event for each expired claim, before the event of the new claim that removes them', async () => {
    await claim(1, 1, 60);
    await claim(1, 2, 60);
    await letLeasesEnd();
    await appended();
    await claim(1, 3);
    expect(await appended()).toEqual([
      'job 1 #5 expired by 1, 1 of 4',
      'job 1 #6 expired by 2, 0 of 4',
      'job 1 #7 claimed by 3, 1 of 4',
    ]);
    expect(await clearClaims(made.db)).toBe(0);
    expect(await appended()).toEqual([]);
  });

  test('an event for each expired claim that the cleanup removes', async () => {
    await claim(1, 1, 60);
    await claim(2, 1, 60);
    await letLeasesEnd();
    await appended();
    expect(await clearClaims(made.db)).toBe(2);
    expect((await appended()).sort()).toEqual([
      'job 1 #3 expired by 1, 0 of 4',
      'job 2 #3 expired by 1, 0 of 4',
    ]);
  });

  test('only one event for each expired claim, while new claims and the cleanup remove expired claims at the same time', async () => {
    const jobIds = Array.from({ length: 20 }, (_, index) => index + 1);
    for (const jobId of jobIds) await claim(jobId, 1, 60);
    await letLeasesEnd();
    await appended();
    const clearing = async () => {
      for (let times = 0; times < 5; times++) await clearClaims(made.db);
    };
    await Promise.all([clearing(), ...jobIds.map((jobId) => claim(jobId, 2))]);
    await clearing();
    const expired = (await appended()).filter((words) => words.includes('expired'));
    expect(expired.map((words) => words.split(' #')[0]).sort()).toEqual(
      jobIds.map((jobId) => `job ${jobId}`).sort(),
    );
  });

  test('events for a new job, for its changes, and for an expired claim that a smaller capacity removes', async () => {
    const { body: job } = await made.call('POST', '/jobs', {
      companyId: 1,
      role: 'R',
      capacity: 2,
    });
    await claim(job.id, 1, 60);
    await letLeasesEnd();
    await made.call('PATCH', `/jobs/${job.id}`, { capacity: 1, role: 'S' });
    expect(await appended()).toEqual([
      `job ${job.id} #1 posted, 0 of 2`,
      `job ${job.id} #2 claimed by 1, 1 of 2`,
      `job ${job.id} #3 renewed by 1, 1 of 2`,
      `job ${job.id} #4 expired by 1, 0 of 2`,
      `job ${job.id} #5 resized, 0 of 1`,
      `job ${job.id} #6 changed, 0 of 1`,
    ]);
  });

  test('no event for a change that is refused, or that changes nothing', async () => {
    await made.call('PATCH', '/jobs/1', { capacity: 1 });
    const id = await claim(1, 1);
    await appended();
    const { role } = (await made.call('GET', '/jobs/1')).body;
    const answers = [
      await made.call('POST', '/jobs/1/claims', { recruiterId: 1 }),
      await made.call('POST', '/jobs/1/claims', { recruiterId: 2 }),
      await made.call('POST', '/jobs/2/claims', { recruiterId: 9_000_000 }),
      await made.call('POST', `/claims/${id}/renew`, { leaseSeconds: 60 }),
      await made.call('DELETE', '/claims/9000000'),
      await made.call('PATCH', '/jobs/1', { role, capacity: 1 }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([409, 403, 404, 409, 404, 200]);
    expect(await appended()).toEqual([]);
  });

  test('no event for a change that is rolled back', async () => {
    const undone = made.db.transaction(async (tx) => {
      const outcome = await claimJob(tx, { jobId: 1n, recruiterId: 1n });
      expect(outcome.kind).toBe('claimed');
      throw new Error('rolled back');
    });
    await expect(undone).rejects.toThrow('rolled back');
    expect(await appended()).toEqual([]);
    await claim(1, 2);
    expect(await appended()).toEqual(['job 1 #1 claimed by 2, 1 of 4']);
  });
});

describe('plain SQL appends', () => {
  test('an event for each claim of a statement, and numbers the events of each job in the order of the claim ids', async () => {
    await run(
      sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (2, 1), (1, 1), (2, 2), (1, 2)`,
    );
    expect((await appended()).sort()).toEqual([
      'job 1 #1 claimed by 1, 1 of 4',
      'job 1 #2 claimed by 2, 2 of 4',
      'job 2 #1 claimed by 1, 1 of 4',
      'job 2 #2 claimed by 2, 2 of 4',
    ]);
    await run(sql`DELETE FROM job_claims`);
    expect((await appended()).sort()).toEqual([
      'job 1 #3 released by 1, 1 of 4',
      'job 1 #4 released by 2, 0 of 4',
      'job 2 #3 released by 1, 1 of 4',
      'job 2 #4 released by 2, 0 of 4',
    ]);
  });

  test('an event for a claim that is inserted again with the same id', async () => {
    await claim(1, 1);
    await appended();
    await run(sql`CREATE TABLE kept AS SELECT * FROM job_claims`);
    await run(sql`DELETE FROM job_claims`);
    await run(sql`INSERT INTO job_claims SELECT * FROM kept`);
    expect(await appended()).toEqual([
      'job 1 #2 released by 1, 0 of 4',
      'job 1 #3 claimed by 1, 1 of 4',
    ]);
    await run(sql`TRUNCATE job_claims`);
    await run(sql`INSERT INTO job_claims SELECT * FROM kept`);
    expect(await appended()).toEqual(['job 1 #4 claimed by 1, 1 of 4']);
  });

  test('`expired` for a deleted claim whose lease has ended, and `released` for other deleted claims', async () => {
    await run(sql`INSERT INTO job_claims (job_id, recruiter_id, expires_at) VALUES
      (1, 1, statement_timestamp()), (1, 2, statement_timestamp() + interval '1 hour'), (1, 3, null)`);
    await appended();
    await run(sql`DELETE FROM job_claims`);
    expect(await appended()).toEqual([
      'job 1 #4 expired by 1, 2 of 4',
      'job 1 #5 released by 2, 1 of 4',
      'job 1 #6 released by 3, 0 of 4',
    ]);
  });

  test('an event only for an update that changes the lease', async () => {
    await run(sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (1, 1), (1, 2)`);
    await appended();
    await run(sql`UPDATE job_claims SET expires_at = null, job_id = 1, created_at = now()`);
    expect(await appended()).toEqual([]);
    await run(
      sql`UPDATE job_claims SET expires_at = now() + interval '1 hour' WHERE recruiter_id = 2`,
    );
    expect(await appended()).toEqual(['job 1 #3 renewed by 2, 2 of 4']);
  });

  test('an event for each posted, changed, resized and removed job', async () => {
    await run(sql`INSERT INTO jobs (id, company_id, role) VALUES (801, 1, 'R'), (802, 1, 'R')`);
    await run(sql`UPDATE jobs SET role = 'S', created_at = now() WHERE id = 801`);
    await run(sql`UPDATE jobs SET capacity = 5, company_id = 2 WHERE id IN (801, 802)`);
    await run(sql`UPDATE jobs SET role = role, capacity = 5, created_at = now() WHERE id > 800`);
    await run(sql`DELETE FROM jobs WHERE id > 800`);
    const words = await appended();
    expect(words.filter((each) => each.startsWith('job 801'))).toEqual([
      'job 801 #1 posted, 0 of 4',
      'job 801 #2 changed, 0 of 4',
      'job 801 #3 resized, 0 of 5',
      'job 801 #4 changed, 0 of 5',
      'job 801 #5 removed, 0 of 5',
    ]);
    expect(words).toHaveLength(9);
  });

  test('no event for a change that is rolled back to a savepoint', async () => {
    await made.db.transaction(async (tx) => {
      await tx.execute(sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (1, 1)`);
      const undone = tx.transaction(async (inner) => {
        await inner.execute(sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (1, 2)`);
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      await tx.execute(sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (1, 3)`);
    });
    expect(await appended()).toEqual([
      'job 1 #1 claimed by 1, 1 of 4',
      'job 1 #2 claimed by 3, 2 of 4',
    ]);
  });

  test.each([sql`UPDATE job_claims SET job_id = 2`, sql`UPDATE job_claims SET recruiter_id = 2`])(
    'no event for an update that moves a claim to another job or recruiter, because the update is refused',
    async (move) => {
      await claim(1, 1);
      await appended();
      await expect(run(move)).rejects.toMatchObject({ cause: { code: '23000' } });
      expect(await appended()).toEqual([]);
    },
  );
});

/** Opens sessions that send plain SQL. Each session has a connection of its own. */
function makeSessions(many: number): postgres.Sql[] {
  const sessions = Array.from({ length: many }, () => postgres(made.databaseUrl, { max: 1 }));
  atEnd(() => Promise.all(sessions.map((session) => session.end())));
  return sessions;
}

/**
 * Asserts that the events of each job are numbered without gaps, and count its claims correctly.
 */
async function expectWholeHistories() {
  const wrong = await run(sql`
    SELECT job_id, number, kind, claimed FROM (
      SELECT *, row_number() OVER history AS place,
        sum(CASE kind WHEN 'claimed' THEN 1 WHEN 'released' THEN -1 WHEN 'expired' THEN -1 ELSE 0 END)
          OVER history AS counted
      FROM events WINDOW history AS (PARTITION BY job_id ORDER BY number)) AS numbered
    WHERE number <> place OR claimed <> counted`);
  expect(wrong).toEqual([]);
}

describe('several sessions', () => {
  test('number the events of one job without gaps, because the second session waits for the first session', async () => {
    const [one, other, observer] = makeSessions(3) as [postgres.Sql, postgres.Sql, postgres.Sql];
    let waiting: Promise<unknown> = Promise.resolve();
    await one.begin(async (tx) => {
      await tx`INSERT INTO job_claims (job_id, recruiter_id) VALUES (1, 1)`;
      const [{ pid } = {}] = await tx`SELECT pg_backend_pid() AS pid`;
      waiting = other`INSERT INTO job_claims (job_id, recruiter_id) VALUES (1, 2)`.execute();
      await untilWaitedFor(pid, observer);
    });
    await waiting;
    expect(await appended()).toEqual([
      'job 1 #1 claimed by 1, 1 of 4',
      'job 1 #2 claimed by 2, 2 of 4',
    ]);
  });

  test('that send plain SQL beside the service leave no gaps in the numbers of events, and no session gets an error', async () => {
    await made.db.execute(sql`UPDATE jobs SET capacity = 1000`);
    await run(sql`DELETE FROM events`);
    const sessions = makeSessions(4);
    const jobIds = [1, 2, 3];
    const storm = sessions.flatMap((session, index) =>
      Array.from({ length: 25 }, async (_, turn) => {
        const recruiter = 1 + index * 25 + turn;
        await session`INSERT INTO job_claims (job_id, recruiter_id)
          SELECT ${jobIds[turn % 3] as number}, ${recruiter}`;
        if (turn % 3 === 0) await session`DELETE FROM job_claims WHERE recruiter_id = ${recruiter}`;
      }),
    );
    const service = Array.from({ length: 20 }, async (_, turn) => {
      const id = await claim(jobIds[turn % 3] as number, 101 + turn, 60);
      if (turn % 2) await untilFree('POST', `/claims/${id}/renew`, { leaseSeconds: 60 });
      else await untilFree('DELETE', `/claims/${id}`);
    });
    await Promise.all([...storm, ...service]);
    await expectWholeHistories();
    const [counts] = await run(sql`SELECT count(*)::int AS events FROM events`);
    expect(counts).toEqual({ events: 100 + 36 + 20 + 20 });
    expect(made.events).toEqual([]);
  });

  test('that change claims of the same jobs in one statement do not deadlock', async () => {
    await run(sql`UPDATE jobs SET capacity = 1000`);
    await run(sql`DELETE FROM events`);
    const sessions = makeSessions(6);
    const storm = sessions.map(async (session, index) => {
      for (let turn = 0; turn < 10; turn++) {
        const recruiter = 1 + index;
        const order = (index + turn) % 2 ? 'ASC' : 'DESC';
        await session.unsafe(`INSERT INTO job_claims (job_id, recruiter_id)
          SELECT job, ${recruiter} FROM generate_series(1, 20) AS job ORDER BY job ${order}`);
        await session.unsafe(`DELETE FROM job_claims WHERE recruiter_id = ${recruiter}`);
      }
    });
    await Promise.all(storm);
    await expectWholeHistories();
    const [counts] = await run(sql`SELECT count(*)::int AS events FROM events`);
    expect(counts).toEqual({ events: 6 * 10 * 20 * 2 });
  });
});

test('a single claim scans no table, even if the first statement of its session inserted many claims', async (context) => {
  const [session] = makeSessions(1) as [postgres.Sql];
  await session`INSERT INTO jobs (company_id, role) SELECT 1, 'R' FROM generate_series(1, 5000)`;
  await session`ANALYZE jobs, job_claims, events`;
  const scans = async () => {
    await flushStatistics((text) => session.unsafe(text), context);
    const rows = await session`SELECT relname, seq_scan::int FROM pg_stat_user_tables
      WHERE relname IN ('jobs', 'job_claims', 'events') ORDER BY 1`;
    return rows.map(({ relname, seq_scan }) => `${relname}: ${seq_scan}`);
  };
  await session`
    INSERT INTO job_claims (job_id, recruiter_id) SELECT id, 1 FROM jobs ORDER BY id DESC LIMIT 1000`;
  const before = await scans();
  for (let recruiter = 2; recruiter <= 20; recruiter++)
    await session`INSERT INTO job_claims (job_id, recruiter_id) VALUES (1, ${recruiter})`;
  await session`DELETE FROM job_claims WHERE id IN (SELECT max(id) FROM job_claims)`;
  expect(await scans()).toEqual(before);
});
