import { expect, test } from 'vitest';
import { prepareDatabase } from '../../../src/db/migrate.ts';
import { kill, Pair } from '../../../src/faults/pair.ts';
import { makeApp } from '../../support/app.ts';
import { atEnd } from '../../support/command.ts';

/** The answer limit of a statement, and some time for a slow machine. */
const ANSWERED_MS = 12_000;

test('a claim whose COMMIT waits for a lost standby is answered outcome-unknown, and its repeat tells', {
  timeout: 60_000,
}, async () => {
  const pair = await Pair.open(new AbortController().signal);
  atEnd(() => pair.stop());
  await prepareDatabase(pair.hostsUrl, { demoData: true });
  const { call } = await makeApp({ url: pair.hostsUrl });
  const claim = () =>
    call('POST', '/jobs/1/claims', { recruiterId: 1 }, { 'Idempotency-Key': 'one-claim' });
  await kill(pair.standby);
  const began = performance.now();
  const { status, body } = await claim();
  expect([status, body.code]).toEqual([503, 'outcome-unknown']);
  expect(performance.now() - began).toBeLessThan(ANSWERED_MS);
  await pair.replaceStandby();
  expect((await claim()).status).toBe(201);
  const { body: job } = await call('GET', '/jobs/1');
  expect(job.claimed).toBe(1);
});
