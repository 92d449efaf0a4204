import { expect, test, vi } from 'vitest';
import { kill, Pair } from '../../../../proof/faults/pair.ts';
import { prepareDatabase } from '../../../../src/service/database/migrate.ts';
import { makeApp } from '../../../support/app.ts';
import { atEnd } from '../../../support/command.ts';

/** The timeout of the test. A slow machine needs long to start three servers. */
const PATIENCE_MS = 180_000;

test('a claim whose COMMIT waits for a lost standby is answered outcome-unknown, and a repeat gives the outcome', {
  timeout: PATIENCE_MS,
}, async () => {
  const pair = await Pair.open(new AbortController().signal);
  atEnd(() => pair.stop());
  await prepareDatabase(pair.hostsUrl, { demoData: true });
  const { call } = await makeApp({ url: pair.hostsUrl });
  const claim = () =>
    call('POST', '/jobs/1/claims', { recruiterId: 1 }, { 'Idempotency-Key': 'one-claim' });
  await kill(pair.standby);
  const { status, body } = await claim();
  expect([status, body.code]).toEqual([503, 'outcome-unknown']);
  await pair.replaceStandby();
  // The first claim may still be running. Until it has ended, a repeat is answered 503.
  await vi.waitFor(async () => expect((await claim()).status).toBe(201), { timeout: 20_000 });
  const { body: job } = await call('GET', '/jobs/1');
  expect(job.claimed).toBe(1);
});
