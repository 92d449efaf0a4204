import postgres from 'postgres';
import { expect, test } from 'vitest';
import { startEmbedded } from '../../../src/platform/postgres/embedded.ts';
import { prepareDatabase } from '../../../src/service/database/migrate.ts';
import { makeDataDir } from '../../support/command.ts';
import { doctor, leaveEnded } from '../../support/doctor.ts';

test('the doctor finds nothing wrong if leases and keys ended while no server used the embedded database', async () => {
  const DATA_DIR = makeDataDir();
  const embedded = await startEmbedded(DATA_DIR);
  await prepareDatabase(embedded.url, { demoData: true });
  const sql = postgres(embedded.url, { max: 1, onnotice: () => undefined });
  await leaveEnded(sql);
  await sql.end();
  await embedded.stop();
  const { code, stdout } = await doctor([], { DATA_DIR });
  expect([code, stdout]).toEqual([0, expect.stringContaining('All is well')]);
  expect(stdout).toMatch(/^Not checked: tasks due for over ten minutes/m);
});
