import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { judgeTrail } from '../../../../proof/faults/workers/judge-trail.ts';
import { layTrail, readTrail } from '../../../../proof/faults/workers/trail.ts';
import { atEnd } from '../../../support/command.ts';
import { makeDatabase } from '../../../support/database.ts';

const name = () => `worker_${randomBytes(4).toString('hex')}`;

test('the trail names the account of each change, even if the row names another worker', async () => {
  const sql = postgres(await makeDatabase(), { max: 1 });
  const [one, two] = [name(), name()];
  atEnd(async () => {
    await sql`RESET SESSION AUTHORIZATION`;
    for (const each of [one, two]) await sql`DROP ROLE ${sql(each)}`;
    await sql.end();
  });
  for (const each of [one, two]) await sql`CREATE ROLE ${sql(each)} SUPERUSER`;
  await layTrail(sql);
  await sql`INSERT INTO tasks (kind, payload, attempts_left) VALUES ('test', '{}', 3)`;
  const claim = sql`attempt = attempt + 1, attempts_left = attempts_left - 1, worker_id = 1`;

  await sql`SET SESSION AUTHORIZATION ${sql(one)}`;
  await sql`UPDATE tasks SET ${claim}, lease_until = statement_timestamp() - interval '1 s'`;
  await sql`SET SESSION AUTHORIZATION ${sql(two)}`;
  await sql`UPDATE tasks SET ${claim}, lease_until = statement_timestamp() + interval '1 day'`;
  await sql`BEGIN`;
  await sql`UPDATE tasks SET ended = 'dead'`;
  await sql`ROLLBACK`;
  await sql`SET SESSION AUTHORIZATION ${sql(one)}`;
  await sql`UPDATE tasks SET ended = 'done', finished_at = now(), lease_until = NULL`;

  const trail = await readTrail(sql);
  expect(trail.map(({ by, wasHeld }) => [by, wasHeld])).toEqual([
    [one, false],
    [two, false],
    [one, true],
  ]);
  const { findings } = judgeTrail(trail, 'operator');
  expect(findings.map(({ what }) => what)).toEqual([
    expect.stringContaining(`${one} wrote done over attempt 2 of ${two}`),
  ]);
});
