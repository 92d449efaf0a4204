import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, inject, test } from 'vitest';
import { judgeLine, type LineEvent } from '../../../../proof/faults/judge-line.ts';
import {
  type Db,
  explore,
  type Given,
  type SessionFunction,
} from '../../../../src/explorer/package/index.ts';
import { connect, type Database } from '../../../../src/platform/db/client.ts';
import { inProject } from '../../../../src/platform/process/project.ts';
import {
  acceptOffer,
  claimJob,
  expireClaims,
  offerIdleSlots,
  releaseClaim,
  resizeJob,
} from '../../../../src/service/claims/claim.ts';
import { joinLine, leaveLine } from '../../../../src/service/waitlist/line.ts';

/** All migrations in one text. Indexes need not be built concurrently in an empty database. */
const MIGRATIONS = readdirSync(inProject('drizzle'))
  .filter((name) => name.endsWith('.sql'))
  .toSorted()
  .map((name) => readFileSync(path.join(inProject('drizzle'), name), 'utf8'))
  .join('\n')
  .replaceAll('CONCURRENTLY', '');

const JOB = 1n;

/** A job with these holders and this line. The recruiters are 1 to 5. */
const withLine =
  (capacity: number, holders: number[], line: number[], more = '') =>
  async (db: Db) => {
    await db.query(MIGRATIONS);
    await db.query(`
      INSERT INTO companies (name) VALUES ('A company');
      INSERT INTO recruiters (name) SELECT 'Recruiter ' || n FROM generate_series(1, 5) AS n;
      INSERT INTO jobs (company_id, role, capacity) VALUES (1, 'A role', ${capacity});
      ${holders.map((id) => `INSERT INTO job_claims (job_id, recruiter_id) VALUES (1, ${id});`).join('')}
      ${line.map((id) => `INSERT INTO waitlist (job_id, recruiter_id) VALUES (1, ${id});`).join('')}
      ${more}`);
  };

/** A session that has one connection, and works with it. */
const session =
  (work: (db: Database) => Promise<unknown>) =>
  async ({ url }: Given) => {
    const { db, close } = connect(url, { connections: 1 });
    try {
      return await work(db);
    } finally {
      await close();
    }
  };

const release = (id: number) => session((db) => releaseClaim(db, { id: BigInt(id) }));
const accept = (id: number) => session((db) => acceptOffer(db, { id: BigInt(id) }));
const claim = (id: number) =>
  session((db) => claimJob(db, { jobId: JOB, recruiterId: BigInt(id) }));
const join = (id: number) =>
  session((db) => joinLine(db, { jobId: JOB, recruiterId: BigInt(id) }, 15));
const leave = (id: number) =>
  session((db) => leaveLine(db, { jobId: JOB, recruiterId: BigInt(id) }));
const grow = (capacity: number) =>
  session((db) => db.transaction((tx) => resizeJob(tx, JOB, capacity)));
const sweep = session((db) => db.transaction((tx) => expireClaims(tx, 10)));

/** Returns the broken promises of the line. */
async function broken(db: Db): Promise<string> {
  const events = await db.query<LineEvent>(`
    SELECT number, kind, recruiter_id::text AS "recruiterId", capacity, xid::text FROM events
    WHERE job_id = 1 ORDER BY number`);
  const words = judgeLine(events).findings.map(({ promise, what }) => `${promise}: ${what}`);
  return words.join('\n');
}

/** Returns who holds a slot, or has an offer of one. */
async function holders(db: Db): Promise<number[]> {
  const rows = await db.query<{ id: string }>(`
    SELECT recruiter_id AS id FROM job_claims WHERE expires_at IS NULL OR expires_at > statement_timestamp()
    ORDER BY recruiter_id`);
  return rows.map(({ id }) => Number(id));
}

const OFFER = `
  SET session_replication_role = replica;
  INSERT INTO job_claims (job_id, recruiter_id, expires_at) VALUES (1, 2, statement_timestamp() + interval '15 min');
  INSERT INTO waitlist (job_id, recruiter_id, claim_id) VALUES (1, 2, 1);
  INSERT INTO events (job_id, company_id, number, kind, recruiter_id, role, capacity, claimed, waiting)
    VALUES (1, 1, 2, 'joined', 2, 'A role', 1, 0, 1), (1, 1, 3, 'offered', 2, 'A role', 1, 1, 0);
  RESET session_replication_role;
  INSERT INTO waitlist (job_id, recruiter_id) VALUES (1, 3);`;

interface Case {
  name: string;
  setUp: (db: Db) => Promise<void>;
  sessions: Record<string, SessionFunction>;
  /** Whether two days may pass between two steps. */
  time?: boolean;
  /** Who may hold a slot or have an offer at the end. */
  left: number[][];
}

test.each<Case>([
  {
    name: 'a release meets a newcomer',
    setUp: withLine(1, [1], [2]),
    sessions: { release: release(1), newcomer: claim(3) },
    left: [[2]],
  },
  {
    name: 'two releases at once',
    setUp: withLine(2, [1, 2], [3, 4, 5]),
    sessions: { one: release(1), other: release(2) },
    left: [[3, 4]],
  },
  {
    name: 'a recruiter joins while the last slot is freed',
    setUp: withLine(1, [1], []),
    sessions: { release: release(1), join: join(2) },
    left: [[2]],
  },
  {
    name: 'a recruiter joins while a newcomer claims',
    setUp: withLine(1, [], []),
    sessions: { join: join(2), newcomer: claim(3) },
    left: [[2], [3]],
  },
  {
    name: 'the capacity grows while the first in line leaves',
    setUp: withLine(1, [1], [2, 3]),
    sessions: { grow: grow(2), leave: leave(2) },
    left: [[1, 3]],
  },
  {
    name: 'an offer lapses while its recruiter accepts, and the cleanup runs',
    setUp: withLine(1, [], [], OFFER),
    sessions: { accept: accept(1), cleanup: sweep },
    time: true,
    // If two days pass, the offer has lapsed. The next offer may have lapsed too.
    left: [[2], [3], []],
  },
])('in each order: $name', async ({ name, setUp, sessions, time = false, left }) => {
  const found = await explore({
    name,
    database: inject('scratchUrl'),
    setUp,
    sessions,
    time,
    most: { schedules: 5_000, seconds: 200 },
    holds: async (db) => {
      expect(await broken(db)).toBe('');
      expect(left).toContainEqual(await holders(db));
    },
  });
  found.assertHolds();
  expect(found.schedules).toBeGreaterThan(1);
});

/** Finds the job full, and joins outside of the lock of the job. */
const joinOutside = session(async (db) => {
  const [{ free } = {}] = await db.execute<{ free: boolean }>(
    sql`SELECT count(*) = 0 AS free FROM job_claims WHERE job_id = 1`,
  );
  if (!free) await db.execute(sql`INSERT INTO waitlist (job_id, recruiter_id) VALUES (1, 2)`);
});

/** Releases a claim, and gives the slot to the line in a second transaction. */
const offerLater = session(async (db) => {
  await db.execute(sql`DELETE FROM job_claims WHERE recruiter_id = 1`);
  await db.transaction((tx) => offerIdleSlots(tx, 1));
});

test.each<Omit<Case, 'left'>>([
  {
    name: 'a join outside of the lock is a lost wakeup',
    setUp: withLine(1, [1], []),
    sessions: { release: release(1), join: joinOutside },
  },
  {
    name: 'an offer after the commit of the release leaves the slot idle',
    setUp: withLine(1, [1], [2]),
    sessions: { release: offerLater, newcomer: claim(3) },
  },
])('the rule fails where it must: $name', async ({ name, setUp, sessions }) => {
  const found = await explore({
    name,
    database: inject('scratchUrl'),
    setUp,
    sessions,
    keeps: false,
    mayFail: true,
    holds: async (db) => expect(await broken(db)).toBe(''),
  });
  expect(found.violation?.rule).toContain('no slot is idle while somebody waits');
});
