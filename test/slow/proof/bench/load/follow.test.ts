import { expect, onTestFinished, test } from 'vitest';
import { claimEach, Followers } from '../../../../../proof/bench/load/follow.ts';
import { makeService } from '../../../../support/app.ts';
import { makeDatabase } from '../../../../support/database.ts';

/** The followers use many addresses of 127.0.0.0/8. Only Linux has all these addresses. */
const linuxTest = test.skipIf(process.platform !== 'linux');

linuxTest('the time of a claim ends when the last of many followers is told', async () => {
  const { url } = await makeService(await makeDatabase());
  const followers = await Followers.open([url], 120);
  onTestFinished(() => followers.leave());
  const toldMs = await claimEach(followers, [1, 2, 3], 1);
  expect(toldMs).toHaveLength(3);
  for (const ms of toldMs) expect(ms).toBeGreaterThanOrEqual(0);
});

linuxTest('a claim that is not granted is not measured', async () => {
  const { url } = await makeService(await makeDatabase());
  const followers = await Followers.open([url], 1);
  onTestFinished(() => followers.leave());
  await expect(followers.claim(987_654)).rejects.toThrow('job 987654 was answered 404');
});
