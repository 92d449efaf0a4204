import { sql } from 'drizzle-orm';
import { expect } from 'vitest';
import type { Database } from '../../src/platform/db/client.ts';
import { databaseError, SQLSTATE } from '../../src/platform/db/sqlstate.ts';
import type { ClaimedTask } from '../../src/service/queue/claim.ts';
import { finishDone, finishFailed, giveBack } from '../../src/service/queue/finish.ts';
import type { Hold } from '../../src/service/queue/held.ts';
import { cancelTask, retryTask } from '../../src/service/queue/intervene.ts';
import { pauseLane, resumeLane } from '../../src/service/queue/lanes.ts';
import { renewLeases } from '../../src/service/queue/renew.ts';
import { holdOf, makeQueue } from './queue.ts';

const SESSIONS = 12;
const TASKS = 40;
const LANES = 4;
/** Each action chooses attempts from this many latest claims. Most of these attempts are lost. */
const RECENT = 60;
/**
 * The maximum number of deadlocks. PostgreSQL may plan a statement anew after it has analyzed the
 * table. Two sessions may then lock tasks in different orders. Such a deadlock changes nothing, and
 * a worker repeats its outcome. Without a common order of the locks, a run has more deadlocks.
 */
const MOST_DEADLOCKS = 2;

/** A change of a task that a trigger has noted. `was_held` tells whether the lease was valid. */
type Change = {
  id: string;
  before: number;
  attempt: number;
  worker_id: string;
  was_held: boolean;
  is_done: boolean;
};

/**
 * Makes a trigger note each change of a task. Makes some changes slow, so more statements overlap.
 */
async function layTrail(db: Database) {
  await db.execute(sql`create table trail (id bigint, before int, attempt int, worker_id bigint,
    was_held boolean, is_done boolean)`);
  await db.execute(sql`create function note() returns trigger language plpgsql as $$ begin
    if random() < 0.3 then perform pg_sleep(random() * 0.004); end if;
    insert into trail values (new.id, old.attempt, new.attempt, new.worker_id,
      coalesce(old.lease_until > statement_timestamp(), false),
      old.ended is null and new.ended is not distinct from 'done');
    return new; end $$`);
  await db.execute(
    sql`create trigger note before update on tasks for each row execute function note()`,
  );
}

const below = (n: number) => Math.floor(Math.random() * n);
const nameOf = ({ id, attempt }: Hold) => `task ${id}, attempt ${attempt}`;

/** Makes sessions that change the same tasks at random, and that remember the answers. */
async function makeSessions() {
  const { db, add, claim } = await makeQueue(undefined, { connections: SESSIONS });
  await layTrail(db);
  const laneOf = (n: number) => `lane ${n % LANES}`;
  const ids = await add(
    ...Array.from({ length: TASKS }, (_, n) => ({ lane: laneOf(n), attempts: 1_000_000 })),
  );
  const aTask = () => ids[below(TASKS)] ?? 0n;
  const aLane = () => laneOf(below(LANES));
  const claims: ClaimedTask[] = [];
  const told = {
    claims: [] as string[],
    done: [] as string[],
    failed: [] as string[],
    deadlocks: 0,
  };
  const someHolds = (): Hold[] => {
    const recent = claims.slice(-RECENT);
    const some = recent.filter(() => below(RECENT) < 4).map(holdOf);
    return [...new Map(some.map((hold) => [hold.id, hold])).values()];
  };
  const acceptedOf = (holds: Hold[], ids: Set<bigint>) =>
    holds.filter(({ id }) => ids.has(id)).map(nameOf);
  const acts: (() => Promise<unknown>)[] = [
    async () => {
      const holds = someHolds();
      const ids = await db.transaction((tx) => finishDone(tx, holds));
      told.done.push(...acceptedOf(holds, ids));
    },
    async () => {
      const holds = someHolds();
      const failures = holds.map((hold) => ({
        ...hold,
        error: 'no',
        pauseMs: below(5) === 0 ? undefined : 0,
      }));
      const ids = await db.transaction((tx) => finishFailed(tx, failures));
      told.failed.push(...acceptedOf(holds, ids));
    },
    () => giveBack(db, someHolds()),
    () => renewLeases(db, someHolds()),
    () => cancelTask(db, aTask()),
    () => retryTask(db, aTask()),
    () => db.transaction((tx) => pauseLane(tx, aLane(), below(50))),
    () => db.transaction((tx) => resumeLane(tx, aLane())),
    // Ends the leases of some tasks.
    () =>
      db.execute(sql`update tasks set lease_until = statement_timestamp() where id = any(array(
        select id from tasks where lease_until is not null
        order by random() limit 5 for update skip locked))`),
    // Makes finished tasks wait again, so that there are always tasks.
    () =>
      db.execute(sql`update tasks set ended = null, finished_at = null where id = any(array(
        select id from tasks where ended = 'done' for update skip locked))`),
  ];
  const countDeadlock = (error: unknown) => {
    if (databaseError(error)?.code !== SQLSTATE.deadlockDetected) throw error;
    told.deadlocks++;
  };
  /** Makes a claim, and then a random action. */
  async function act(worker: number) {
    const workerId = BigInt(worker);
    const wanted = { workerId, count: 1 + below(6), perLane: 1 + below(4), afterLane: aLane() };
    const claimed = await claim(wanted);
    claims.push(...claimed);
    told.claims.push(...claimed.map((each) => `${nameOf(each)}, worker ${worker}`));
    await acts[below(acts.length)]?.().catch(countDeadlock);
  }
  return { db, act, told };
}

/**
 * Lets the sessions act until at least `outcomes` tasks are done and at least `outcomes` have
 * failed. Asserts that each claim and each outcome in the database was reported to exactly one
 * worker. The assertion fails without the condition on the attempt in the fence, and without the
 * condition on the lease in the claim. It also fails if a lane has two turns in one claim, or if
 * two kinds of outcomes lock their tasks in different orders.
 */
export async function expectToldOnce(outcomes: number) {
  const { db, act, told } = await makeSessions();
  const isOver = () => told.done.length >= outcomes && told.failed.length >= outcomes;
  const run = async (_: unknown, worker: number) => {
    while (!isOver()) await act(worker);
  };
  await Promise.all(Array.from({ length: SESSIONS }, run));
  expect(told.deadlocks).toBeLessThanOrEqual(MOST_DEADLOCKS);
  const trail = await db.execute<Change>(sql`select * from trail`);
  const taken = trail.filter(({ before, attempt }) => attempt !== before);
  expect(taken.filter(({ was_held }) => was_held)).toEqual([]);
  const failed = await db.execute<{ id: bigint; attempt: number }>(
    sql`select task_id as id, attempt from task_attempts where ended = 'failed'`,
  );
  const noted = {
    claims: taken.map((each) => `${nameOf(holdIn(each))}, worker ${each.worker_id}`),
    done: trail.filter(({ is_done }) => is_done).map((each) => nameOf(holdIn(each))),
    failed: failed.map(nameOf),
  };
  for (const what of ['claims', 'done', 'failed'] as const)
    expect(told[what].toSorted()).toEqual(noted[what].toSorted());
}

const holdIn = ({ id, attempt }: Change): Hold => ({ id: BigInt(id), attempt });
