import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { production } from '../../../src/platform/db/migrations.ts';
import { prepareDatabase } from '../../../src/service/database/migrate.ts';
import { makeApp } from '../../support/app.ts';
import { makeTmpDir } from '../../support/command.ts';
import { makeLeastRights } from '../../support/roles.ts';

test('the owner account migrates, and the user account serves without rights to the schema', async () => {
  const { ownerUrl, userUrl, user } = await makeLeastRights();
  await expect(prepareDatabase(userUrl)).rejects.toThrow(
    new RegExp(
      `^PostgreSQL at .* lacks 0000_claims to 00\\d\\d_\\S+, and the account "${user}" may not change the schema\\. ` +
        'Run npm run migrate with the DATABASE_URL of the owner of the database\\.$',
    ),
  );
  await expect(prepareDatabase(userUrl, { migrates: false })).rejects.toThrow(
    /^PostgreSQL at .* lacks 0000_claims to 00\d\d_\S+, and MIGRATE=off\. Run npm run migrate with/,
  );
  await prepareDatabase(ownerUrl);
  await prepareDatabase(userUrl, { demoData: true });
  await prepareDatabase(userUrl, { migrates: false });

  const sql = postgres(userUrl, { max: 1 });
  for (const forbidden of ['CREATE TABLE x ()', 'CREATE TEMP TABLE x ()', 'CREATE SCHEMA x'])
    await expect(sql.unsafe(forbidden)).rejects.toMatchObject({ code: '42501' });
  for (const forbidden of ['SELECT lo_create(0)', "SELECT lo_from_bytea(0, 'x')"])
    await expect(sql.unsafe(forbidden)).rejects.toMatchObject({ code: '42501' });
  expect(
    await sql`SELECT oid::regprocedure::text AS large FROM pg_proc
      WHERE proname ~ '^(lo_|loread$|lowrite$)' AND has_function_privilege(oid, 'EXECUTE')`,
  ).toEqual([]);
  for (const forbidden of ['TRUNCATE job_claims', 'ALTER TABLE jobs DISABLE TRIGGER ALL'])
    await expect(sql.unsafe(forbidden)).rejects.toMatchObject({ code: '42501' });
  await expect(sql`DELETE FROM drizzle.__drizzle_migrations`).rejects.toMatchObject({
    code: '42501',
  });
  await sql.end();

  const { app, call, claim, events } = await makeApp({ url: userUrl });
  expect((await app.request('/readyz')).status).toBe(200);
  const statuses = [];
  for (const recruiter of [1, 2, 3, 4, 5]) statuses.push((await claim(1, recruiter)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 403]);
  const keyed = { 'Idempotency-Key': 'k' };
  expect((await call('POST', '/jobs', { companyId: 1, role: 'New' }, keyed)).status).toBe(201);
  expect((await call('PATCH', '/jobs/1', { capacity: 7 })).status).toBe(200);
  expect(events).toEqual([]);
});

test('without the folder drizzle/, the error names the folder, and not DATABASE_URL', async () => {
  const folder = path.join(makeTmpDir(), 'drizzle');
  cpSync(production.folder, folder, { recursive: true });
  rmSync(path.join(folder, 'meta'), { recursive: true });
  const broken = prepareDatabase('postgres://nobody@127.0.0.1:1/none', { more: [folder] });
  await expect(broken).rejects.toThrow(/ECONNREFUSED/);
  const { adminUrl } = await makeLeastRights();
  await expect(prepareDatabase(adminUrl, { more: [folder] })).rejects.toThrow(
    /^Cannot read the migrations at .*_journal\.json \(ENOENT\)\. The service needs the folder drizzle\/ beside dist\/\.$/,
  );
});
