import { arrayOf, readArray } from '../../platform/db/array-text.ts';
import type { Rows, Session } from '../../platform/db/session.ts';
import { FIRST_OWN_TYPE } from '../wire/values.ts';

const toNumber = Number;
const toDate = (text: string) => new Date(text);
const toText = (text: string) => text;
const toBytes = (text: string) => Buffer.from(text.slice('\\x'.length), 'hex');

/**
 * The array types of PostgreSQL itself, by their ids. An element is converted as a single value of
 * its type is converted.
 */
const ELEMENTS: Record<number, (text: string) => unknown> = {
  1000: (text) => text === 't', // bool
  1001: toBytes, // bytea
  1002: toText, // "char"
  1003: toText, // name
  1005: toNumber, // int2
  1007: toNumber, // int4
  1009: toText, // text
  1014: toText, // bpchar
  1015: toText, // varchar
  1016: toText, // int8
  1021: toNumber, // float4
  1022: toNumber, // float8
  1028: toNumber, // oid
  1041: toText, // inet
  1115: toDate, // timestamp
  1182: toDate, // date
  1183: toText, // time
  1185: toDate, // timestamptz
  1187: toText, // interval
  1231: toText, // numeric
  199: JSON.parse, // json
  2951: toText, // uuid
  3807: JSON.parse, // jsonb
};

const OWN_ARRAYS = `select oid::int from pg_type
  where typcategory = 'A' and oid = any ($1::oid[])`;

/**
 * A column of a result of postgres.js. A statement without a result has no columns, and an empty
 * text has null.
 */
interface Column {
  name: string;
  type: number;
}

/** Converts the texts of arrays in these rows to arrays. */
export async function readArrays(admin: Session, rows: Rows): Promise<Rows> {
  const columns = (rows as { columns?: readonly Column[] | null }).columns ?? [];
  const own = await ownArrays(admin, columns);
  for (const { name, type } of columns) {
    const read = own.has(type) ? toText : ELEMENTS[type];
    if (read) for (const row of rows) convert(row as Record<string, unknown>, name, read);
  }
  return rows;
}

function convert(row: Record<string, unknown>, name: string, read: (text: string) => unknown) {
  const value = row[name];
  if (typeof value === 'string') row[name] = readArray(value, read);
}

/** Returns which types of these columns are arrays of types that somebody has made, such as enums. */
async function ownArrays(admin: Session, columns: readonly Column[]): Promise<Set<number>> {
  const types = columns.map(({ type }) => type).filter((type) => type >= FIRST_OWN_TYPE);
  if (types.length === 0) return new Set();
  const params = [arrayOf(types)];
  const found = await admin.run({ text: OWN_ARRAYS, params, asArrays: false });
  return new Set(found.map((row) => (row as { oid: number }).oid));
}
