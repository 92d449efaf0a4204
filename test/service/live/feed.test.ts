import { expect, onTestFinished, test, vi } from 'vitest';
import { databaseOver } from '../../../src/platform/db/client.ts';
import { createPool } from '../../../src/platform/db/pool.ts';
import { type Codecs, openSession, type Session } from '../../../src/platform/db/session.ts';
import { Feed } from '../../../src/service/live/feed.ts';
import { Follower } from '../../../src/service/live/follower.ts';
import { collectLog, makeApp } from '../../support/app.ts';
import { atEnd } from '../../support/command.ts';

const somebody = { network: 'here' };

test('if a job changes while the feed reads a page, the follower gets the page before the change', async () => {
  const made = await makeApp();
  const { claim, databaseUrl: url } = made;
  const other = await made.feed.follow({ jobIds: [4n] }, somebody);
  const codecs: Codecs = { parsers: {}, serializers: {} };
  const pool = createPool({ size: 2, line: 10, waitMs: 5_000 }, async () =>
    openSession({ url, parameters: {} }, codecs),
  );
  const gates: Promise<void>[] = [];
  let answers = 0;
  /** Counts the reads of jobs, and delays their answers. */
  const held = async (session: Session, statement: Parameters<Session['run']>[0]) => {
    const rows = await session.run(statement);
    if (!statement.text.includes('"companies"')) return rows;
    answers++;
    await gates.shift();
    return rows;
  };
  const lend: typeof pool.lend = (use) =>
    pool.lend((session) => use({ ...session, run: (statement) => held(session, statement) }));
  const feed = new Feed({ db: databaseOver({ lend }, codecs), log: collectLog().log });
  atEnd(async () => {
    feed.close();
    await pool.close(0);
  });
  expect(await feed.follow({ jobIds: [1n] }, somebody)).toBeInstanceOf(Follower);

  let open = () => {};
  gates.push(
    new Promise((resolve) => {
      open = resolve;
    }),
  );
  const following = feed.follow({ jobIds: [4n] }, somebody);
  await vi.waitFor(() => expect(answers).toBe(2));
  expect((await claim(4, 1)).status).toBe(200);
  // Another feed has already sent the claim, and many other reads have ended. If this feed read
  // the page and the claim at the same time, its read of the claim would have ended too.
  await told(other, '"claimed":1');
  for (let n = 0; n < 50; n++) await made.app.request('/jobs/4');
  open();
  const text = await told(await following, '"claimed":1');
  const counts = [...text.matchAll(/"claimed":(\d)/g)].map(([, count]) => Number(count));
  expect(counts[0]).toBe(0);
  expect(counts.at(-1)).toBe(1);
});

test('a claim on the same server reaches followers without a timer, because its commit causes a check', async () => {
  const { feed, claim } = await makeApp();
  // Open a connection. The driver needs timers for this.
  expect((await claim(3, 1)).status).toBe(200);
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const follower = await feed.follow({ jobIds: [4n] }, somebody);
  expect((await claim(4, 1)).status).toBe(200);
  await told(follower, '"claimed":1');
});

test('the server sends a change to many followers in several turns of the event loop, and can serve requests in between', async () => {
  const { feed, claim } = await makeApp({ feedLimits: { followersOfNetwork: 500 } });
  const followers = await Promise.all(
    Array.from({ length: 500 }, () => feed.follow({ jobIds: [1n] }, somebody)),
  );
  let turn = 0;
  let isTold = false;
  const nextTurn = () => {
    turn++;
    if (!isTold) setImmediate(nextTurn);
  };
  nextTurn();
  const toldIn = followers.map(async (each) => {
    await told(each, '"claimed":1');
    return turn;
  });
  expect((await claim(1, 1)).status).toBe(200);
  const turns = new Set(await Promise.all(toldIn));
  isTold = true;
  // Between two turns of the event loop, Node serves its sockets.
  expect(turns.size).toBeGreaterThan(10);
});

/** Returns the text that a follower receives up to these words. */
async function told(follower: Follower | string, words: string): Promise<string> {
  if (!(follower instanceof Follower)) throw new Error(follower);
  let text = '';
  for await (const each of follower.chunks()) {
    text += Buffer.from(each);
    if (text.includes(words)) break;
  }
  return text;
}
