import { beforeAll, describe, expect, test } from 'vitest';
import { explore } from '../../../../src/explorer/package/index.ts';
import { bank, inTransaction } from '../../../support/bank.ts';
import { programFile } from '../../../support/program.ts';
import { type Certificate, makeCertificate, startTlsPostgres } from '../../../support/tls.ts';

describe('a server that takes only connections with TLS', { tags: ['openssl'] }, () => {
  let url: string;
  let right: Certificate;
  beforeAll(async () => {
    right = makeCertificate('IP:127.0.0.1');
    url = await startTlsPostgres(right);
  });

  test.each([
    ['require', ''],
    ['verify-full', 'its certificate is trusted'],
  ])('is explored with sslmode=%s', async (mode, trusts) => {
    const root = trusts && `&sslrootcert=${right.file}`;
    const database = `${url}?sslmode=${mode}${root}`;
    const wrong = await explore(bank('', { name: `wrong, ${mode}`, database }));
    expect(wrong.violation?.schedule).toBe('1,2,2,2,2,1,1,1');
    const locked = await explore(bank('for update', { name: `right, ${mode}`, database }));
    expect(locked).toMatchObject({ isComplete: true, violation: undefined, remarks: [] });
  });

  test.each([
    ['', 'Cannot use PostgreSQL at 127.0.0.1'],
    ['?sslmode=verify-full', 'self-signed certificate'],
  ])('is refused in one line with the address …%s', async (query, why) => {
    const order = bank('', { name: `refused${query}`, database: `${url}${query}` });
    await expect(explore(order)).rejects.toThrow(why);
  });

  test('a program with libpq gives its password to the server', { tags: ['python'] }, async () => {
    const update = 'update accounts set balance = balance + 1 where id = 1';
    const program = `import os, psycopg
with psycopg.connect(os.environ["DATABASE_URL"]) as db: db.execute("${update}")`;
    const command = `'${programFile('python')}' -c '${program}'`;
    const found = await explore(
      bank('', {
        name: 'libpq',
        database: `${url}?sslmode=require`,
        sessions: {
          ann: { command },
          bob: ({ url: own }) => inTransaction(own, (tx) => tx.unsafe(update)),
        },
        holds: async (db) =>
          (await db.query('select from accounts where balance = 102')).length === 1,
      }),
    );
    expect(found).toMatchObject({ isComplete: true, violation: undefined });
  });
});
