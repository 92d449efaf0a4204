import { sql } from 'drizzle-orm';
import { describe, expect, test, vi } from 'vitest';
import { Poller } from '../../../src/service/operation/poller.ts';
import { lookForRestore, watchForRestores } from '../../../src/service/operation/restores.ts';
import { startRelay } from '../../../src/service/webhooks/relay/relay-loop.ts';
import { collectLog } from '../../support/app.ts';
import { atEnd } from '../../support/command.ts';
import { done, makeQueue, makeWorker } from '../../support/queue.ts';

const QUIET = { hasTask: false, hasEvent: false, isSignDue: false };

/** Makes a queue, and collects the texts of its statements. */
async function makeObserved() {
  const texts: string[] = [];
  const made = await makeQueue(undefined, { observe: ({ text }) => void texts.push(text) });
  await lookForRestore(made.db);
  texts.length = 0;
  return { ...made, texts };
}

const isPoll = (text: string) => text.includes('as has_task');

describe.concurrent('a poller', () => {
  test('says what a process has to do', async () => {
    const { db, add } = await makeQueue();
    const poller = new Poller(db);
    expect(await poller.next()).toEqual({ ...QUIET, isSignDue: true });
    await lookForRestore(db);
    expect(await poller.next()).toEqual(QUIET);
    await add({ runAt: new Date(Date.now() + 3_600_000) });
    await db.execute(sql`INSERT INTO webhook_unrelayed (event_id, endpoint_ids) VALUES (1, '{1}')`);
    await db.execute(sql`UPDATE installation SET alive_at = alive_at - interval '10 seconds'`);
    expect(await poller.next()).toEqual({ hasTask: true, hasEvent: true, isSignDue: true });
    await lookForRestore(db);
    await db.execute(sql`UPDATE installation SET identity = '7 5 00000001'`);
    expect(await poller.next()).toMatchObject({ isSignDue: true });
    await db.execute(sql`DELETE FROM installation`);
    expect(await poller.next()).toMatchObject({ isSignDue: false });
  });

  test('asks once for all calls until its next question', async () => {
    const { db, texts } = await makeObserved();
    const poller = new Poller(db);
    const answers = await Promise.all([poller.next(), poller.next(), poller.next()]);
    expect(answers).toEqual([QUIET, QUIET, QUIET]);
    expect(texts.filter(isPoll)).toHaveLength(1);
  });

  test('asks for the worker, the relay and the check for a restore of an idle process', async () => {
    const { db, texts } = await makeObserved();
    const { log } = collectLog();
    const poller = new Poller(db);
    await makeWorker(db, done, { poller });
    const others = [
      startRelay({ db, poller, log, onDueTask: () => undefined }),
      watchForRestores(db, poller, log),
    ];
    atEnd(() => Promise.all(others.map((each) => each.stop())));
    const polls = () => texts.filter(isPoll).length;
    // All loops are idle after the second poll.
    await vi.waitFor(() => expect(polls()).toBe(2), 20_000);
    const seen = texts.length;
    await vi.waitFor(() => expect(polls()).toBe(4), 20_000);
    // Heartbeats have their own time.
    const askedAlone = texts.slice(seen).filter((text) => !isPoll(text) && !/"workers"/.test(text));
    expect(askedAlone).toEqual([]);
  });

  test('asks nothing after a stop', async () => {
    const { db, texts } = await makeObserved();
    const stop = new AbortController();
    const poller = new Poller(db, stop.signal);
    await poller.next();
    let isSettled = false;
    void poller.next().finally(() => {
      isSettled = true;
    });
    stop.abort();
    // Another poller asks its second question later than the stopped poller would have asked.
    const other = await makeQueue();
    const running = new Poller(other.db);
    await running.next();
    await running.next();
    expect(isSettled).toBe(false);
    expect(texts.filter(isPoll)).toHaveLength(1);
  });

  test('rejects while the database cannot answer, and then answers again', async () => {
    const { db } = await makeQueue();
    const poller = new Poller(db);
    await db.execute(sql`ALTER TABLE tasks RENAME TO tasks_elsewhere`);
    await expect(poller.next()).rejects.toThrow();
    await db.execute(sql`ALTER TABLE tasks_elsewhere RENAME TO tasks`);
    expect(await poller.next()).toMatchObject({ hasTask: false });
  });
});
