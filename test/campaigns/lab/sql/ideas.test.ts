import { eq, max, type SQL, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { countClaims } from '../../../../src/lab/chapters/claims/count-claims.ts';
import type { ClaimStrategy } from '../../../../src/lab/chapters/claims/strategy.ts';
import { type Addressed, findChapter, findStrategy } from '../../../../src/lab/chapters/index.ts';
import { finish } from '../../../../src/lab/chapters/queue/finish.ts';
import type { QueueStrategy } from '../../../../src/lab/chapters/queue/strategy.ts';
import {
  chargeInside,
  done,
  findKey,
  insertKey,
  storeKey,
  storeReceipt,
} from '../../../../src/lab/chapters/retries/queries.ts';
import type { RetryStrategy } from '../../../../src/lab/chapters/retries/strategy.ts';
import { charges, keys } from '../../../../src/lab/chapters/retries/tables.ts';
import { attemptStrategy } from '../../../../src/lab/lessons/attempt-strategy.ts';
import type { Lesson } from '../../../../src/lab/lessons/lesson.ts';
import { databaseError, SQLSTATE } from '../../../../src/platform/db/sqlstate.ts';
import { insertClaim } from '../../../../src/service/claims/queries.ts';
import { slotsOf } from '../../../../src/service/claims/rules.ts';
import { jobs, recruiters } from '../../../../src/service/database/schema.ts';
import { lessonsWithScript, scriptExaminer, scriptFile } from '../../../support/scripts.ts';
import { makeStage } from '../../../support/stage.ts';

const examine = scriptExaminer();
const stage = await makeStage();

type Claim = ClaimStrategy['claim'];
type Handle = RetryStrategy['handle'];
type Work = QueueStrategy['work'];

/** An idea in SQL, and the same idea in TypeScript: the address of a strategy, or a function. */
type Idea<Code = Claim> = [words: string, sql: string, typescript: string | Code];

const INSERT = `insert into job_claims (job_id, recruiter_id) select :job, :recruiter
  where (select count(*) from job_claims where job_id = :job) < :capacity;`;
const INSERT_BY_COUNT = `insert into job_claims (job_id, recruiter_id) select :job, :recruiter
  where :taken < :capacity;`;
const JOB = 'select capacity from jobs where id = :job';
const COUNT = 'select count(*) as taken from job_claims where job_id = :job;';

/** Counts, decides and inserts, in this transaction. */
async function countAndInsert(
  tx: Parameters<typeof countClaims>[0],
  request: Parameters<Claim>[1],
) {
  const decision = await countClaims(tx, request);
  if (decision.kind !== 'granted') return decision;
  const claim = await insertClaim(tx, request);
  return { kind: 'claimed', claim, slots: decision.slots } as const;
}

const ofClaims: Idea[] = [
  ['nothing', `${JOB};${INSERT}`, 'claims/naive'],
  ['a transaction', `begin;${JOB};${COUNT}${INSERT_BY_COUNT}commit;`, 'claims/transaction'],
  [
    'the lock after the count',
    `begin;${COUNT}${JOB} for update;${INSERT_BY_COUNT}commit;`,
    (db, request) =>
      db.transaction(async (tx) => {
        const decision = await countClaims(tx, request);
        await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update');
        if (decision.kind !== 'granted') return decision;
        const claim = await insertClaim(tx, request);
        return { kind: 'claimed', claim, slots: decision.slots };
      }),
  ],
  [
    "the recruiter's row",
    `begin;select id from recruiters where id = :recruiter for update;${JOB};${INSERT}commit;`,
    (db, request) =>
      db.transaction(async (tx) => {
        const { id } = recruiters;
        await tx.select().from(recruiters).where(eq(id, request.recruiterId)).for('update');
        return countAndInsert(tx, request);
      }),
  ],
  ['FOR SHARE', `begin;${JOB} for share;${INSERT}commit;`, 'claims/share-lock'],
  [
    'SKIP LOCKED',
    `begin;${JOB} for update skip locked;${INSERT}commit;`,
    (db, request) =>
      db.transaction(async (tx) => {
        const lock = { skipLocked: true } as const;
        const [job] = await tx
          .select()
          .from(jobs)
          .where(eq(jobs.id, request.jobId))
          .for('update', lock);
        return job ? countAndInsert(tx, request) : { kind: 'full', slots: slotsOf(4, 4) };
      }),
  ],
  [
    'NOWAIT, and an error means full',
    `begin;${JOB} for update nowait;${INSERT}commit;`,
    (db, request) =>
      db
        .transaction(async (tx) => {
          const lock = { noWait: true } as const;
          await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update', lock);
          return countAndInsert(tx, request);
        })
        .catch((error) => {
          if (databaseError(error)?.code !== SQLSTATE.lockNotAvailable) throw error;
          return { kind: 'full', slots: slotsOf(4, 4) };
        }),
  ],
  [
    'SERIALIZABLE without a retry',
    `begin isolation level serializable;${JOB};${INSERT}commit;`,
    (db, request) =>
      db.transaction((tx) => countAndInsert(tx, request), { isolationLevel: 'serializable' }),
  ],
  [
    'REPEATABLE READ without a lock',
    `begin isolation level repeatable read;${JOB};${INSERT}commit;`,
    (db, request) =>
      db.transaction((tx) => countAndInsert(tx, request), { isolationLevel: 'repeatable read' }),
  ],
  [
    'a lock in a transaction of its own',
    `begin;${JOB} for update;commit;begin;${INSERT}commit;`,
    async (db, request) => {
      await db.transaction((tx) =>
        tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update'),
      );
      return db.transaction((tx) => countAndInsert(tx, request));
    },
  ],
  [
    'the check before the transaction',
    `${JOB};${COUNT}begin;select id from jobs where id = :job for update;${INSERT_BY_COUNT}commit;`,
    async (db, request) => {
      const decision = await countClaims(db, request);
      if (decision.kind !== 'granted') return decision;
      return db.transaction(async (tx) => {
        await tx.select().from(jobs).where(eq(jobs.id, request.jobId)).for('update');
        const claim = await insertClaim(tx, request);
        return { kind: 'claimed', claim, slots: decision.slots };
      });
    },
  ],
  ['always full', 'select 1;', async () => ({ kind: 'full', slots: slotsOf(4, 4) })],
  ['the lock', `begin;${JOB} for update;${INSERT}commit;`, 'claims/row-lock'],
  ['FOR NO KEY UPDATE', `begin;${JOB} for no key update;${INSERT}commit;`, 'claims/no-key-update'],
  [
    'an advisory lock in a statement of its own',
    `begin;select pg_advisory_xact_lock(:job);${JOB};${INSERT}commit;`,
    'claims/advisory-lock',
  ],
  [
    'an advisory lock in the same statement',
    `begin;${JOB};insert into job_claims (job_id, recruiter_id)
      select :job, :recruiter from (select pg_advisory_xact_lock(:job)) as locked
      where (select count(*) from job_claims where job_id = :job) < :capacity;commit;`,
    (db, request) =>
      db.transaction(async (tx) => {
        const [job] = await tx.select().from(jobs).where(eq(jobs.id, request.jobId));
        if (!job) return { kind: 'no-such-job' };
        const rows = await tx.execute(sql`insert into job_claims (job_id, recruiter_id)
          select ${request.jobId}, ${request.recruiterId}
          from (select pg_advisory_xact_lock(${request.jobId})) as locked
          where (select count(*) from job_claims where job_id = ${request.jobId}) < ${job.capacity}
          returning id`);
        return rows.length === 0
          ? { kind: 'full', slots: slotsOf(job.capacity, job.capacity) }
          : ({ kind: 'claimed' } as Awaited<ReturnType<Claim>>);
      }),
  ],
];

const LEASE = `update tasks set status = 'running', worker = :worker,
  lease_until = now() + interval '1 minute', attempt = attempt + 1
  where id = (select id from tasks
    where status <> 'done' and (lease_until is null or lease_until < now())
    order by id limit 1 for update skip locked)
  returning id as task, attempt;
`;
const SEND = '\n\\send :task\n';

const DONE = `update tasks set status = 'done' where id = :task;`;

/** Changes a free task, and returns its id. Skips locked tasks. */
async function take(db: Parameters<Work>[0], change: SQL) {
  const [task] = await db.execute<{ id: number }>(sql`update lab_queue.tasks set ${change}
    where id = (select id from lab_queue.tasks where status = 'due'
      order by id limit 1 for update skip locked) returning id`);
  return task?.id;
}

const ofQueue: Idea<Work>[] = [
  [
    'select, then update',
    `select id as task from tasks where status = 'due' order by id limit 1;
    update tasks set status = 'running', worker = :worker where id = :task;${SEND}
    update tasks set status = 'done' where id = :task;`,
    'queue/select-then-update',
  ],
  [
    'a lock until the end',
    `begin;select id as task from tasks where status = 'due' order by id limit 1
      for update skip locked;${SEND}
    update tasks set status = 'done' where id = :task;commit;`,
    'queue/held-transaction',
  ],
  [
    'a lock that waits',
    `begin;select id as task from tasks where status = 'due' order by id limit 1 for update;
    update tasks set status = 'running', worker = :worker where id = :task;commit;${SEND}
    update tasks set status = 'done' where id = :task;`,
    'queue/for-update',
  ],
  [
    'SKIP LOCKED and a mark',
    `begin;select id as task from tasks where status = 'due' order by id limit 1
      for update skip locked;
    update tasks set status = 'running', worker = :worker where id = :task;commit;${SEND}
    update tasks set status = 'done' where id = :task;`,
    'queue/skip-locked',
  ],
  [
    'delete the task first',
    `delete from tasks where id = (select id from tasks where status = 'due'
      order by id limit 1 for update skip locked) returning id as task;${SEND}`,
    'queue/delete-on-claim',
  ],
  [
    'a lease',
    `${LEASE}${SEND}update tasks set status = 'done', lease_until = null where id = :task;`,
    'queue/lease',
  ],
  [
    'a lease, and the name of the worker',
    `${LEASE}${SEND}update tasks set status = 'done', lease_until = null
      where id = :task and worker = :worker;`,
    'queue/lease-by-name',
  ],
  [
    'a lease, and the attempt',
    `${LEASE}${SEND}update tasks set status = 'done', lease_until = null
      where id = :task and attempt = :attempt;`,
    'queue/lease-by-attempt',
  ],
  [
    'a mark in one statement, without a lock',
    `update tasks set status = 'running', worker = :worker
      where id = (select id from tasks where status = 'due' order by id limit 1)
      returning id as task;${SEND}${DONE}`,
    'queue/update-subselect',
  ],
  [
    'a mark in one statement, and the status is checked again',
    `update tasks set status = 'running', worker = :worker
      where id = (select id from tasks where status = 'due' order by id limit 1)
        and status = 'due'
      returning id as task;${SEND}${DONE}`,
    'queue/subselect-checked-again',
  ],
  [
    'done first, then sent',
    `update tasks set status = 'done' where id = (select id from tasks where status = 'due'
      order by id limit 1 for update skip locked) returning id as task;${SEND}`,
    async (db, worker) => {
      const task = await take(db, sql`status = 'done'`);
      if (task === undefined) return { kind: 'idle' };
      await worker.send(task);
      return { kind: 'done' };
    },
  ],
  [
    'a lease whose end nobody reads',
    `update tasks set status = 'running', lease_until = now() + interval '1 minute'
      where id = (select id from tasks where status = 'due'
        order by id limit 1 for update skip locked) returning id as task;${SEND}${DONE}`,
    async (db, worker) => {
      const lease = sql`status = 'running', lease_until = now() + interval '1 minute'`;
      const task = await take(db, lease);
      if (task === undefined) return { kind: 'idle' };
      await worker.send(task);
      await finish(db, task);
      return { kind: 'done' };
    },
  ],
  [
    'no mark at all',
    `select id as task from tasks where status = 'due' order by id limit 1;${SEND}${DONE}`,
    async (db, worker) => {
      const [task] = await db.execute<{ id: number }>(
        sql`select id from lab_queue.tasks where status = 'due' order by id limit 1`,
      );
      if (!task) return { kind: 'idle' };
      await worker.send(task.id);
      await finish(db, task.id);
      return { kind: 'done' };
    },
  ],
];

const KEY_FIRST = `insert into keys (key) values (:key) on conflict do nothing returning key as first;
  insert into charges (key) select key from keys where key = :first returning receipt;
  update keys set status = 'done', receipt = :receipt where key = :first;
  select receipt from keys where key = :key;`;

const ofRetries: Idea<Handle>[] = [
  [
    'no key',
    'insert into charges (key) values (:key) returning receipt;',
    async (db, request) => done(await chargeInside(db, request)),
  ],
  [
    'the key first',
    KEY_FIRST,
    async (db, request) => {
      if (!(await insertKey(db, request)))
        return done((await findKey(db, request))?.receipt ?? null);
      const receipt = await chargeInside(db, request);
      await storeReceipt(db, request, receipt);
      return done(receipt);
    },
  ],
  [
    'the work first',
    `select receipt from keys where key = :key;
    insert into charges (key) select :key where not exists (select from keys where key = :key)
      returning receipt as charged;
    insert into keys (key, status, receipt)
      select key, 'done', receipt from charges where receipt = :charged;
    select receipt from keys where key = :key;`,
    async (db, request) => {
      const known = await findKey(db, request);
      if (known) return done(known.receipt);
      const receipt = await chargeInside(db, request);
      await storeKey(db, request, receipt);
      return done(receipt);
    },
  ],
  [
    'the key in a transaction of its own',
    KEY_FIRST.replace('returning key as first;', 'returning key as first; begin;').replace(
      /(select receipt from keys where key = :key;)$/,
      'commit; $1',
    ),
    async (db, request) => {
      if (!(await insertKey(db, request)))
        return done((await findKey(db, request))?.receipt ?? null);
      return db.transaction(async (tx) => {
        const receipt = await chargeInside(tx, request);
        await storeReceipt(tx, request, receipt);
        return done(receipt);
      });
    },
  ],
  [
    'the charge in any case, and then the key',
    `insert into charges (key) values (:key) returning receipt;
    insert into keys (key, status, receipt) values (:key, 'done', :receipt)
      on conflict do nothing;`,
    async (db, request) => {
      const receipt = await chargeInside(db, request);
      const key = { key: request.key, status: 'done', receipt } as const;
      await db.insert(keys).values(key).onConflictDoNothing();
      return done(receipt);
    },
  ],
  [
    'a look in the transaction, and no lock',
    `begin;select receipt from keys where key = :key;
    insert into charges (key) select :key where not exists (select from keys where key = :key)
      returning receipt as charged;
    insert into keys (key, status, receipt)
      select key, 'done', receipt from charges where receipt = :charged;
    select receipt from keys where key = :key;commit;`,
    (db, request) =>
      db.transaction(async (tx) => {
        const known = await findKey(tx, request);
        if (known) return done(known.receipt);
        const receipt = await chargeInside(tx, request);
        await storeKey(tx, request, receipt);
        return done(receipt);
      }),
  ],
  ['no charge at all', 'select 1;', async () => done(null)],
  [
    'the newest receipt of all',
    `${KEY_FIRST} select max(receipt) as receipt from charges;`,
    async (db, request) => {
      if (await insertKey(db, request)) {
        const receipt = await chargeInside(db, request);
        await storeReceipt(db, request, receipt);
      }
      const [newest] = await db.select({ receipt: max(charges.receipt) }).from(charges);
      return done(newest?.receipt ?? null);
    },
  ],
  [
    'the receipt after the transaction',
    `begin;insert into keys (key) values (:key) on conflict do nothing returning key as first;
    insert into charges (key) select key from keys where key = :first returning receipt;commit;
    update keys set status = 'done', receipt = :receipt where key = :first;
    select receipt from keys where key = :key;`,
    async (db, request) => {
      const receipt = await db.transaction(async (tx) =>
        (await insertKey(tx, request)) ? chargeInside(tx, request) : undefined,
      );
      if (receipt === undefined) return done((await findKey(db, request))?.receipt ?? null);
      await storeReceipt(db, request, receipt);
      return done(receipt);
    },
  ],
  [
    'one transaction under REPEATABLE READ, without a retry',
    `begin isolation level repeatable read; ${KEY_FIRST} commit;`,
    (db, request) =>
      db.transaction(
        async (tx) => {
          if (!(await insertKey(tx, request)))
            return done((await findKey(tx, request))?.receipt ?? null);
          const receipt = await chargeInside(tx, request);
          await storeReceipt(tx, request, receipt);
          return done(receipt);
        },
        { isolationLevel: 'repeatable read' },
      ),
  ],
  [
    'everything in one transaction',
    `begin; ${KEY_FIRST} commit;`,
    (db, request) =>
      db.transaction(async (tx) => {
        if (!(await insertKey(tx, request)))
          return done((await findKey(tx, request))?.receipt ?? null);
        const receipt = await chargeInside(tx, request);
        await storeReceipt(tx, request, receipt);
        return done(receipt);
      }),
  ],
];

const lessonOf = (number: number): Lesson =>
  lessonsWithScript.find((lesson) => lesson.number === number) as Lesson;

function strategyOf(lesson: Lesson, typescript: string | Claim | Handle | Work): Addressed {
  if (typeof typescript === 'string') {
    const found = findStrategy(typescript);
    if (typeof found === 'string') throw new Error(found);
    // Time passes for each script, as for each file of a student.
    const timed = { timed: true };
    return { ...found, strategy: { ...found.strategy, ...timed } };
  }
  const { exercise } = lesson;
  const chapter = findChapter('chapter' in exercise ? exercise.chapter : undefined);
  if (typeof chapter === 'string') throw new Error(chapter);
  const strategy = chapter.strategyOf(typescript, 'mine', () => typescript);
  if (!strategy) throw new Error('this is no strategy');
  return { chapter, strategy };
}

async function attemptIn(lesson: Lesson, typescript: string | Claim | Handle | Work) {
  const { exercise } = lesson;
  if (exercise.kind !== 'strategy') throw new Error('the lesson asks for no strategy');
  return attemptStrategy(stage, strategyOf(lesson, typescript), exercise, () => undefined, {});
}

describe.each([
  [4, ofClaims],
  [7, ofClaims.filter(([words]) => /SERIALIZABLE|NOWAIT|always|the lock$/.test(words))],
  [11, ofQueue],
  [12, ofQueue],
  // In TypeScript, the mails of this idea have an id, and the receiver drops repeats.
  [13, ofQueue.filter(([words]) => !words.endsWith('the name of the worker'))],
  [15, ofRetries],
] as const)('lesson %i', (number, ideas) => {
  const lesson = lessonOf(number);
  test.each(ideas as Idea<Claim | Handle | Work>[])(
    '%s has the same verdict in SQL and in TypeScript',
    async (_, text, code) => {
      const [inSql, inTypescript] = [await examine(lesson, text), await attemptIn(lesson, code)];
      expect(inSql).not.toMatchObject({ kind: 'unusable' });
      expect(inSql).toMatchObject({ kind: inTypescript.kind, result: resultOf(inTypescript) });
    },
  );
});

const resultOf = (found: Awaited<ReturnType<typeof attemptIn>>) =>
  'result' in found ? found.result : found.line;

describe.each(lessonsWithScript.filter(({ number }) => number > 8))('lesson $number', (lesson) => {
  test('the solution holds', async () => {
    expect(await examine(lesson, scriptFile(lesson, 'solution'))).toMatchObject({ kind: 'solved' });
  });
});
