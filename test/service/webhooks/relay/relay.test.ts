import { asc, eq } from 'drizzle-orm';
import postgres from 'postgres';
import { describe, expect, test, vi } from 'vitest';
import { connect } from '../../../../src/platform/db/client.ts';
import { Poller } from '../../../../src/service/operation/poller.ts';
import { tasks } from '../../../../src/service/queue/tables.ts';
import { insertEndpoint } from '../../../../src/service/webhooks/endpoints/endpoints.ts';
import { LARGEST_RELAY, relayEvents } from '../../../../src/service/webhooks/relay/relay.ts';
import { startRelay } from '../../../../src/service/webhooks/relay/relay-loop.ts';
import {
  deliveries,
  type MessageType,
  messageTypes,
  unrelayed,
} from '../../../../src/service/webhooks/tables.ts';
import { collectLog } from '../../../support/app.ts';
import { atEnd } from '../../../support/command.ts';
import { makeDatabase } from '../../../support/database.ts';
import { whileLocked } from '../../../support/locks.ts';

const COMPANY = 1n;

const endpointOf = (types: MessageType[]) => ({ url: 'http://localhost:4000/', types });

/** Makes a database in which the company of job 1 has endpoints. `run` runs plain SQL. */
const makeWorld = (...wanted: MessageType[][]) => makeWorldWith({}, ...wanted);

async function makeWorldWith(settings: Record<string, string>, ...wanted: MessageType[][]) {
  const url = await makeDatabase();
  const { db, close } = connect(url, { settings });
  const sql = postgres(url, { max: 4, onnotice: () => undefined });
  atEnd(() => Promise.all([close(), sql.end()]));
  const ids: bigint[] = [];
  for (const types of wanted.length > 0 ? wanted : [[...messageTypes]]) {
    const made = await db.transaction((tx) => insertEndpoint(tx, COMPANY, endpointOf(types)));
    if (made.kind === 'created') ids.push(made.endpoint.id);
  }
  const run = (text: string) => sql.unsafe(text);
  const setAside: unknown[] = [];
  const relay = () => relayEvents(db, (id) => void setAside.push(id));
  const relayAll = async () => {
    while ((await relay()) > 0);
  };
  return { url, db, sql, run, endpoints: ids, relay, relayAll, setAside };
}
type World = Awaited<ReturnType<typeof makeWorld>>;

const claim = (job: number, ...recruiters: number[]) =>
  `INSERT INTO job_claims (job_id, recruiter_id) VALUES ${recruiters.map((each) => `(${job}, ${each})`)}`;

/** Removes all events but the newest event of each job, as the cleanup does. */
const clearOldEvents = `DELETE FROM events AS old WHERE EXISTS
  (SELECT FROM events AS later WHERE later.job_id = old.job_id AND later.number > old.number)`;

const made = ({ db }: World) => db.select().from(deliveries).orderBy(asc(deliveries.id));
const typesMade = async (world: World) => (await made(world)).map(({ type }) => type);

describe('the relay', () => {
  test('makes a delivery and its task for each message', async () => {
    const world = await makeWorld();
    const { db, run, relay, endpoints } = world;
    await run(claim(1, 1));
    expect(await relay()).toBe(1);
    const [delivery, ...more] = await made(world);
    expect(more).toEqual([]);
    expect(delivery).toMatchObject({ endpointId: endpoints[0], type: 'claim.created' });
    expect(JSON.parse(delivery?.body ?? '')).toEqual({
      type: 'claim.created',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        number: 2,
        job: {
          id: 1,
          role: 'Senior Backend Engineer, Payments',
          company: { id: 1, name: 'Harbour Analytics' },
        },
        claim: { id: 1, recruiter: { id: 1, name: 'Amara Abbott' }, expiresAt: null },
        slots: { capacity: 4, claimed: 1, remaining: 3 },
      },
    });
    const [task] = await db
      .select()
      .from(tasks)
      .where(eq(tasks.id, delivery?.taskId ?? 0n));
    expect(task).toMatchObject({
      kind: 'webhook',
      lane: `endpoint ${endpoints[0]}`,
      payload: { deliveryId: String(delivery?.id) },
      attemptsLeft: 10,
    });
    expect(await relay()).toBe(0);
  });

  test('makes no delivery for a change that was rolled back', async () => {
    const world = await makeWorld();
    const rolledBack = world.sql.begin(async (tx) => {
      await tx.unsafe(claim(1, 1, 2));
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect(await world.relay()).toBe(0);
    expect(await made(world)).toEqual([]);
  });

  test('finds an event that is committed after the relay has taken later events', async () => {
    const world = await makeWorld();
    await world.sql.begin(async (tx) => {
      await tx.unsafe(claim(1, 1));
      await world.run(claim(2, 1));
      await world.relayAll();
    });
    await world.relayAll();
    const jobs = (await made(world)).map(({ body }) => JSON.parse(body).data.job.id);
    expect(jobs).toEqual([2, 1]);
  });

  test('makes a message when the last slot is taken, and when the first slot is free again', async () => {
    const world = await makeWorld();
    const steps = [
      claim(1, 1, 2, 3, 4),
      'DELETE FROM job_claims WHERE recruiter_id = 4',
      'UPDATE jobs SET capacity = 3 WHERE id = 1',
      'UPDATE jobs SET capacity = 9 WHERE id = 1',
      "UPDATE job_claims SET expires_at = now() - interval '1 minute' WHERE recruiter_id = 3",
      'DELETE FROM job_claims WHERE recruiter_id = 3',
    ];
    for (const step of steps) await world.run(step);
    await world.relayAll();
    expect(await typesMade(world)).toEqual([
      ...Array(4).fill('claim.created'),
      'job.full',
      ...['claim.released', 'job.open', 'job.full', 'job.open', 'claim.expired'],
    ]);
  });

  test('makes a message for each change of a line', async () => {
    const world = await makeWorld();
    const joins = (recruiter: number) =>
      `INSERT INTO waitlist (job_id, recruiter_id, offer_minutes) VALUES (1, ${recruiter}, 15)`;
    const steps = [
      claim(1, 1, 2, 3, 4),
      joins(5),
      joins(6),
      'DELETE FROM waitlist WHERE recruiter_id = 5',
      // A deleted recruiter has no name.
      'DELETE FROM recruiters WHERE id = 5',
    ];
    for (const step of steps) await world.run(step);
    await world.relayAll();
    const told = (await made(world)).map(({ body }) => JSON.parse(body));
    expect(
      told
        .filter(({ type }) => type.startsWith('waitlist.'))
        .map(({ type, data }) => [type, data.line]),
    ).toEqual([
      ['waitlist.joined', { recruiter: { id: 5, name: null }, waiting: 1 }],
      [
        'waitlist.joined',
        { recruiter: { id: 6, name: expect.stringMatching(/^\w+ \w+/) }, waiting: 2 },
      ],
      ['waitlist.left', { recruiter: { id: 5, name: null }, waiting: 1 }],
    ]);
  });

  test('knows the old capacity even after the cleanup has removed the older events', async () => {
    const world = await makeWorld();
    await world.run('UPDATE jobs SET capacity = 1 WHERE id = 1');
    await world.run(claim(1, 1));
    await world.relayAll();
    await world.run(clearOldEvents);
    await world.run('UPDATE jobs SET capacity = 2 WHERE id = 1');
    await world.run(clearOldEvents);
    await world.relayAll();
    expect((await typesMade(world)).at(-1)).toBe('job.open');
  });

  test('makes no delivery for an event that the cleanup has removed', async () => {
    const world = await makeWorld();
    await world.run(claim(1, 1));
    await world.run('DELETE FROM job_claims WHERE job_id = 1');
    await world.run(clearOldEvents);
    await world.relayAll();
    expect(await typesMade(world)).toEqual(['claim.released']);
    expect(await world.db.$count(unrelayed)).toBe(0);
  });

  test('makes only messages of the types that an endpoint wants, for each endpoint of the company', async () => {
    const world = await makeWorld(['job.full'], ['claim.created', 'job.full']);
    const [one, other] = world.endpoints;
    await world.run('UPDATE jobs SET capacity = 1');
    await world.run(claim(1, 1));
    await world.run(claim(5, 1)); // a job of another company
    await world.relayAll();
    const rows = (await made(world)).map(({ endpointId, type }) => [endpointId, type]);
    expect(rows).toEqual([
      [one, 'job.full'],
      [other, 'claim.created'],
      [other, 'job.full'],
    ]);
    expect(new Set((await made(world)).map(({ messageId }) => messageId)).size).toBe(3);
  });

  test('makes no delivery for an endpoint that was disabled or deleted after the event', async () => {
    const world = await makeWorld(['claim.created'], ['claim.created'], ['claim.created']);
    await world.run(claim(1, 1));
    await world.run(
      `UPDATE webhook_endpoints SET enabled = false WHERE id = ${world.endpoints[0]}`,
    );
    await world.run(`DELETE FROM webhook_endpoints WHERE id = ${world.endpoints[1]}`);
    expect(await world.relay()).toBe(1);
    expect((await made(world)).map(({ endpointId }) => endpointId)).toEqual([world.endpoints[2]]);
  });

  test('makes no delivery for an endpoint that was added or enabled after the event', async () => {
    const world = await makeWorld(['claim.created'], ['claim.created']);
    const [old, disabled] = world.endpoints;
    await world.run(`UPDATE webhook_endpoints SET enabled = false WHERE id = ${disabled}`);
    await world.run(claim(1, 1));
    const added = await world.db.transaction((tx) =>
      insertEndpoint(tx, COMPANY, endpointOf(['claim.created'])),
    );
    expect(added.kind).toBe('created');
    await world.run(`UPDATE webhook_endpoints SET enabled = true WHERE id = ${disabled}`);
    await world.relayAll();
    expect((await made(world)).map(({ endpointId }) => endpointId)).toEqual([old]);
    await world.run(claim(1, 2));
    await world.relayAll();
    expect(await made(world)).toHaveLength(4);
  });

  // By every clock, the endpoint is older than the event. But the event was committed first.
  test('makes no delivery for an endpoint whose transaction commits after the event', async () => {
    const world = await makeWorld(['claim.created']);
    await world.db.transaction(async (tx) => {
      await insertEndpoint(tx, COMPANY, endpointOf(['claim.created']));
      await world.run(claim(1, 1));
    });
    await world.relayAll();
    const endpointIds = (await made(world)).map(({ endpointId }) => endpointId);
    expect(endpointIds).toEqual(world.endpoints);
  });

  test('gets no notes of events at companies without an enabled endpoint', async () => {
    const world = await makeWorld();
    await world.run('UPDATE webhook_endpoints SET enabled = false');
    await world.run(claim(1, 1));
    await world.run(claim(5, 1));
    expect(await world.db.$count(unrelayed)).toBe(0);
  });

  test('takes a limited number of events at a time', async () => {
    const world = await makeWorld();
    await world.run('UPDATE jobs SET capacity = 1000 WHERE id = 1');
    await world.run("INSERT INTO recruiters (name) SELECT 'r' FROM generate_series(1, 600)");
    await world.relayAll();
    await world.run('INSERT INTO job_claims (job_id, recruiter_id) SELECT 1, id FROM recruiters');
    const notes = await world.db.$count(unrelayed);
    expect(await world.relay()).toBe(LARGEST_RELAY);
    expect(await world.relay()).toBe(notes - LARGEST_RELAY);
    expect(await made(world)).toHaveLength(notes);
  });

  test('sets an event aside if the event cannot be relayed, and relays the other events', async () => {
    const world = await makeWorld();
    await world.run(
      "ALTER TABLE webhook_deliveries ADD CHECK (body NOT LIKE '%Machine Learning%')",
    );
    for (const job of [1, 2, 3, 4]) await world.run(claim(job, 1));
    await world.relayAll();
    expect(await made(world)).toHaveLength(3);
    expect(world.setAside).toHaveLength(1);
    await world.run('ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries_body_check');
    expect(await world.relay()).toBe(0);
    await world.run("UPDATE webhook_unrelayed SET set_aside_until = now() - interval '1 second'");
    await world.relayAll();
    expect(await made(world)).toHaveLength(4);
    expect(await world.db.$count(unrelayed)).toBe(0);
  });
});

test('a relay takes events one by one if a statement about all of them takes too long', async () => {
  const world = await makeWorldWith({ statement_timeout: '500ms' });
  await world.run(`
    CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN IF (SELECT count(*) FROM added) > 1 THEN PERFORM pg_sleep(60); END IF; RETURN NULL; END';
    CREATE TRIGGER be_slow AFTER INSERT ON webhook_deliveries
      REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION be_slow();
    UPDATE jobs SET capacity = 10 WHERE id = 1`);
  await world.run(claim(1, 1, 2, 3, 4, 5, 6, 7, 8));
  await world.relayAll();
  expect(await made(world)).toHaveLength(8);
  expect(await world.db.$count(unrelayed)).toBe(0);
  expect(world.setAside).toEqual([]);
});

describe('two relays', () => {
  test('never relay the same event, and no relay waits for the other', async () => {
    const world = await makeWorld();
    for (const job of [1, 2, 3]) await world.run(claim(job, 1, 2));
    const lock = 'LOCK TABLE webhook_deliveries IN ACCESS EXCLUSIVE MODE';
    const first = await whileLocked(world.url, lock, async ({ untilWaitedFor }) => {
      const first = world.relay();
      await untilWaitedFor(1);
      // The first relay has locked all notes, and waits for the table. So the second relay gets no
      // notes.
      expect(await world.relay()).toBe(0);
      return { first };
    });
    expect(await first.first).toBe(6);
    expect(await made(world)).toHaveLength(6);
  });

  test('make each delivery once, even if many relays run', async () => {
    const world = await makeWorld();
    await world.run('UPDATE jobs SET capacity = 1000');
    for (let recruiter = 1; recruiter <= 30; recruiter++)
      await world.run(
        `INSERT INTO job_claims (job_id, recruiter_id)
        SELECT id, ${recruiter} FROM jobs WHERE company_id = 1`,
      );
    const notes = await world.db.$count(unrelayed);
    await Promise.all(Array.from({ length: 6 }, () => world.relayAll()));
    const numbers = (await made(world)).map(({ body }) => {
      const { number, job } = JSON.parse(body).data;
      return `${job.id} ${number}`;
    });
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers.length).toBe(120);
    expect(notes).toBeGreaterThanOrEqual(120);
  });
});

/** Starts a relay with its own connection, as a separate process would. */
function startOwnRelay(url: string) {
  const { db, close } = connect(url, { connections: 1 });
  const { log, events } = collectLog();
  let due = 0;
  const relay = startRelay({ db, poller: new Poller(db), log, onDueTask: () => due++ });
  atEnd(async () => {
    await relay.stop();
    await close();
  });
  return { relay, events, due: () => due };
}

describe('the loop of a relay', () => {
  test('relays the events of other processes too, and wakes the worker', async () => {
    const world = await makeWorld();
    const { relay, due, events } = startOwnRelay(world.url);
    await world.run(claim(1, 1));
    await vi.waitFor(async () => expect(await made(world)).toHaveLength(1), { timeout: 20_000 });
    expect(due()).toBe(1);
    await relay.stop();
    await world.run(claim(2, 1));
    expect(await world.db.$count(unrelayed)).toBe(1);
    expect(events).toEqual([]);
  });

  test('makes each delivery exactly once although its session is ended three times', async () => {
    const world = await makeWorld();
    const lock = 'LOCK TABLE webhook_deliveries IN ACCESS EXCLUSIVE MODE';
    await world.run(claim(1, 1, 2));
    await whileLocked(world.url, lock, async ({ tx, untilWaitedFor }) => {
      startOwnRelay(world.url);
      for (let times = 0; times < 3; times++) {
        await untilWaitedFor(1);
        await tx`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))`;
      }
    });
    await world.run(claim(1, 3));
    await vi.waitFor(async () => expect(await made(world)).toHaveLength(3), { timeout: 20_000 });
    const numbers = (await made(world)).map(({ body }) => JSON.parse(body).data.number);
    expect(numbers).toEqual([2, 3, 4]);
    expect(await world.db.$count(tasks)).toBe(3);
    expect(await world.db.$count(unrelayed)).toBe(0);
  });
});
