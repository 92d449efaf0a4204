import { sql } from 'drizzle-orm';
import { databaseAlone } from '../src/platform/db/alone.ts';
import type { Database } from '../src/platform/db/client.ts';
import { production, readMigrations } from '../src/platform/db/migrations.ts';
import { openScratch } from '../src/platform/postgres/scratch.ts';
import { buildGuard } from '../src/platform/process/build.ts';
import { runCommand, type Values, whole } from '../src/platform/process/command.ts';
import { plainTable } from '../src/platform/process/plain-table.ts';
import { print } from '../src/platform/process/print.ts';
import { readConfig } from '../src/service/config/config.ts';
import { migrateThrough } from '../src/service/database/migrate.ts';

const options = {
  claims: {
    ...whole(1_000, 10_000_000),
    default: 100_000,
    words: 'how many claims the database has',
  },
  sessions: { ...whole(1, 64), default: 8, words: 'how many sessions claim' },
};

const command = {
  name: 'upgrade-demo',
  purpose:
    'Migrates a large database through every version while claims run, and shows the longest pause.',
  about: `It works in a scratch database. The claims are plain SQL: lock the job, count, insert. So they
run on the schema of every version.`,
  options,
  notes: 'Exit code: 0 if no claim failed, 1 otherwise.',
};

runCommand(command, async (size, stop) => {
  await buildGuard();
  const scratch = await openScratch(readConfig().databaseUrl, stop);
  try {
    return await upgrade(scratch.url, size);
  } finally {
    await scratch.stop();
  }
});

async function upgrade(url: string, { claims, sessions }: Values<typeof options>): Promise<number> {
  const [first, ...later] = readMigrations(production).map(({ name }) => name);
  await migrateThrough(url, first ?? '');
  const jobs = await fill(url, claims);
  const load = startLoad(url, sessions, jobs);
  const rows: (string | number)[][] = [];
  try {
    await load.atPace();
    for (const name of later) {
      const began = performance.now();
      const before = load.count();
      load.beginPart();
      await migrateThrough(url, name);
      const seconds = (performance.now() - began) / 1_000;
      rows.push([name, seconds.toFixed(2), load.count() - before, Math.round(load.longestMs())]);
    }
  } finally {
    await load.stop();
  }
  const { failures } = load;
  print(`${claims} claims on ${jobs} jobs, ${sessions} sessions that claim\n\n`);
  print(
    `${plainTable(['migration', 'seconds', 'claims meanwhile', 'longest claim, ms'], rows, [1, 2, 3])}\n`,
  );
  print(
    `\n${failures.length === 0 ? 'No claim failed.' : `${failures.length} claims failed: ${failures[0]}`}\n`,
  );
  return failures.length === 0 ? 0 : 1;
}

/**
 * Makes jobs, and four claims on each job of the first half. The jobs of the second half stay free.
 * Returns the number of all jobs.
 */
async function fill(url: string, claims: number): Promise<number> {
  const { db, close } = databaseAlone(url, { application_name: 'rowlock upgrade-demo' });
  const full = Math.ceil(claims / 4);
  try {
    await db.execute(
      sql`INSERT INTO companies (name) SELECT 'Company ' || n FROM generate_series(1, 100) n`,
    );
    await db.execute(
      sql`INSERT INTO recruiters (name) SELECT 'Recruiter ' || n FROM generate_series(1, 1000) n`,
    );
    await db.execute(sql`INSERT INTO jobs (company_id, role)
      SELECT 1 + n % 100, 'Engineer ' || n FROM generate_series(1, ${2 * full}::int) n`);
    await db.execute(sql`INSERT INTO job_claims (job_id, recruiter_id)
      SELECT job, recruiter FROM generate_series(1, ${full}::int) job, generate_series(1, 4) recruiter`);
    await db.execute(sql`ANALYZE`);
  } finally {
    await close();
  }
  return 2 * full;
}

/** Starts sessions that claim free slots. Each session makes one claim at a time. */
function startLoad(url: string, sessions: number, jobs: number) {
  let count = 0;
  let longest = 0;
  let partBegan = performance.now();
  let stopped = false;
  const failures: string[] = [];
  const running = new Map<number, number>();
  const waited = (began: number) => performance.now() - Math.max(began, partBegan);
  const claim = (db: Database, job: number) =>
    db.transaction(async (tx) => {
      const [row] = await tx.execute(sql`SELECT capacity FROM jobs WHERE id = ${job} FOR UPDATE`);
      const [held] = await tx.execute(
        sql`SELECT count(*)::int AS n FROM job_claims WHERE job_id = ${job}`,
      );
      if (Number(held?.n) < Number(row?.capacity))
        await tx.execute(
          sql`INSERT INTO job_claims (job_id, recruiter_id) VALUES (${job}, ${1 + Number(held?.n)})`,
        );
    });
  const work = async (session: number) => {
    const { db, close } = databaseAlone(url, { application_name: 'rowlock upgrade-demo' });
    for (let turn = 0; !stopped; turn++) {
      const job = jobs / 2 + 1 + ((turn * sessions + session) % (jobs / 2));
      running.set(session, performance.now());
      await claim(db, job).catch((error) => failures.push(String(error.cause ?? error)));
      longest = Math.max(longest, waited(running.get(session) ?? 0));
      count++;
    }
    await close();
  };
  const all = Array.from({ length: sessions }, (_, session) => work(session));
  return {
    failures,
    count: () => count,
    beginPart() {
      longest = 0;
      partBegan = performance.now();
    },
    /** Returns the longest time of a claim since `beginPart`, including claims that still wait. */
    longestMs: () => Math.max(longest, ...[...running.values()].map(waited)),
    async atPace() {
      while (count < 10 * sessions) await new Promise((resolve) => setTimeout(resolve, 10));
    },
    async stop() {
      stopped = true;
      await Promise.all(all);
    },
  };
}
