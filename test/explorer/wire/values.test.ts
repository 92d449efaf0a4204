import { beforeAll, expect, test } from 'vitest';
import { decode } from '../../../src/explorer/wire/values.ts';
import { oneConnection } from '../../../src/platform/db/one-connection.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';

let sql: ReturnType<typeof oneConnection>;
beforeAll(async () => {
  sql = oneConnection(await makeDatabase(), {});
  atEnd(() => sql.end());
  await sql`create type mood as enum ('good', 'so so')`;
});

/** Returns the id of the type of a value, its text, and its binary form from PostgreSQL itself. */
async function formsOf(value: string, send: string) {
  const text = `select pg_typeof(v)::oid::int as type, v::text as text, ${send}(v) as bytes
    from (values (${value})) t(v)`;
  const [row] = await sql.unsafe<{ type: number; text: string; bytes: Buffer }[]>(text);
  if (!row) throw new Error('there is no row');
  return row;
}

test.each([
  ...['0', '1.50', '-0.0001', '10000', '123456789.000012345', '1e20', '0.10', '-12.3400'].map(
    (number) => [`${number}::numeric`, 'numeric_send'],
  ),
  ["'123e4567-e89b-12d3-a456-426614174000'::uuid", 'uuid_send'],
  ["'1999-12-31'::date", 'date_send'],
  ["'so so'::mood", 'enum_send'],
  ["'\\x000000000000000000000000'::bytea", 'byteasend'],
  ["'{1,2,NULL}'::int[]", 'array_send'],
  ["'{}'::int[]", 'array_send'],
  ["'{{a,b},{c,NULL}}'::text[]", 'array_send'],
  ["'{1.5,2}'::numeric[]", 'array_send'],
  ["'{good,good}'::mood[]", 'array_send'],
])('the binary form of %s is shown as its text', async (value, send) => {
  const { type, text, bytes } = await formsOf(value as string, send as string);
  expect(String(decode(bytes, type, 1))).toBe(text);
});

test('a binary value of an unknown type is shown in hexadecimal', async () => {
  const { type, bytes } = await formsOf("'10.0.0.1'::inet", 'inet_send');
  expect(decode(bytes, type, 1)).toBe('\\x022000040a000001');
});

test('bytes that claim to be a huge array are shown in hexadecimal', () => {
  const [INET, INT4] = [869, 23];
  const bytes = Buffer.alloc(28);
  for (const [index, part] of [2, 0, INT4, 50_000_000, 1, 0, 1].entries())
    bytes.writeInt32BE(part, index * 4);
  expect(decode(bytes, INET, 1)).toBe(`\\x${bytes.toString('hex')}`);
});
