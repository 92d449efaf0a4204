import { expect, test, vi } from 'vitest';
import { connect } from '../../../../src/platform/db/client.ts';
import { startClearing } from '../../../../src/service/operation/clearing.ts';
import { collectLog } from '../../../support/app.ts';
import { atEnd } from '../../../support/command.ts';
import { makeDatabase } from '../../../support/database.ts';
import { lockOf, whileLocked } from '../../../support/locks.ts';

test('a cleanup that waits for a locked table is logged as failed, once', async () => {
  const url = await makeDatabase();
  const { db, close } = connect(url);
  atEnd(close);
  const { log, events } = collectLog();
  await whileLocked(url, lockOf('job_claims'), async () => {
    const clearing = startClearing(db, log);
    await vi.waitFor(() => expect(events).not.toEqual([]), { timeout: 60_000 });
    await clearing.stop();
  });
  expect(events).toMatchObject([{ event: 'clearing failed' }]);
  expect(JSON.stringify(events)).toContain('55P03');
});
