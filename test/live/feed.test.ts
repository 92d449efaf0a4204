import { afterAll, expect, test, vi } from 'vitest';
import { databaseOver } from '../../src/db/client.ts';
import { createPool } from '../../src/db/pool.ts';
import { type Codecs, openSession } from '../../src/db/session.ts';
import { Feed } from '../../src/live/feed.ts';
import { Follower } from '../../src/live/follower.ts';
import { collectLog, makeApp } from '../support/app.ts';

test('a change that comes while a page is read is told after that page', async () => {
  const made = await makeApp();
  const { claim, databaseUrl: url } = made;
  const other = await made.feed.follow({ jobIds: [4n] });
  const codecs: Codecs = { parsers: {}, serializers: {} };
  const pool = createPool({ size: 2, line: 10, waitMs: 5_000 }, async () =>
    openSession({ url, parameters: {} }, codecs),
  );
  const gates: Promise<void>[] = [];
  let answers = 0;
  const lend: typeof pool.lend = async (use) => {
    const rows = await pool.lend(use);
    answers++;
    await gates.shift();
    return rows;
  };
  const feed = new Feed({ db: databaseOver({ lend }, codecs), url, log: collectLog().log });
  afterAll(async () => {
    feed.close();
    await pool.close(0);
  });
  expect(await feed.follow({ jobIds: [1n] })).toBeInstanceOf(Follower);

  let open = () => {};
  gates.push(
    new Promise((resolve) => {
      open = resolve;
    }),
  );
  const following = feed.follow({ jobIds: [4n] });
  await vi.waitFor(() => expect(answers).toBe(2));
  expect((await claim(4, 1)).status).toBe(200);
  // Another feed has told of it, and more was read since: a read that does not wait for its turn
  // would be over.
  await told(other, '"claimed":1');
  for (let n = 0; n < 50; n++) await made.app.request('/jobs/4');
  open();
  const text = await told(await following, '"claimed":1');
  const counts = [...text.matchAll(/"claimed":(\d)/g)].map(([, count]) => Number(count));
  expect(counts[0]).toBe(0);
  expect(counts.at(-1)).toBe(1);
});

/** What a follower is told up to these words. */
async function told(follower: Follower | string, words: string): Promise<string> {
  if (!(follower instanceof Follower)) throw new Error(follower);
  let text = '';
  for await (const each of follower.texts()) {
    text += each;
    if (text.includes(words)) break;
  }
  return text;
}
