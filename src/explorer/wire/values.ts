import { Reader } from './messages.ts';

/** A column of a result. */
export interface Field {
  name: string;
  type: number;
  /** 0 is text, 1 is binary. */
  format: number;
}

const TYPE = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  int4: 23,
  oid: 26,
  float4: 700,
  float8: 701,
  date: 1082,
  numeric: 1700,
  uuid: 2950,
  timestamp: 1114,
  timestamptz: 1184,
  jsonb: 3802,
};
/** Types whose binary form is their text: name, text, json, unknown, bpchar and varchar. */
const TEXTS = [19, 25, 114, 705, 1042, 1043];

const YEAR_2000_MS = Date.UTC(2000, 0, 1);

const timeOf = (bytes: Buffer) =>
  new Date(YEAR_2000_MS + Number(bytes.readBigInt64BE() / 1000n)).toISOString();

const hexOf = (bytes: Buffer) => `\\x${bytes.toString('hex')}`;

const DAY_MS = 86_400_000;
const dateOf = (bytes: Buffer) =>
  new Date(YEAR_2000_MS + bytes.readInt32BE() * DAY_MS).toISOString().slice(0, 10);

/** Each digit of the binary form stands for four decimal digits. */
const DIGITS = 4;
const SIGNS: Record<number, string> = { 0: '', 16384: '-' };

function numericOf(bytes: Buffer): string {
  const reader = new Reader(bytes);
  const [count = 0, weight = 0, sign = 0, scale = 0] = Array.from({ length: 4 }, () =>
    reader.int16(),
  );
  const minus = SIGNS[sign];
  if (minus === undefined) throw new Error('no number, but NaN or infinity');
  const digits = Array.from({ length: count }, () => reader.int16());
  /** Returns the digit that stands for `place` powers of 10,000, with its zeros. */
  const at = (place: number) => String(digits[weight - place] ?? 0).padStart(DIGITS, '0');
  const places = Array.from({ length: Math.max(0, weight) + 1 }, (_, place) => at(place));
  const whole = places
    .reverse()
    .join('')
    .replace(/^0+(?=.)/, '');
  const groups = Array.from({ length: Math.ceil(scale / DIGITS) }, (_, index) => at(-1 - index));
  return `${minus}${whole}${scale > 0 ? '.' : ''}${groups.join('').slice(0, scale)}`;
}

const BINARY: Record<number, (bytes: Buffer) => unknown> = {
  [TYPE.bool]: (bytes) => bytes[0] === 1,
  [TYPE.bytea]: hexOf,
  [TYPE.int2]: (bytes) => bytes.readInt16BE(),
  [TYPE.int4]: (bytes) => bytes.readInt32BE(),
  [TYPE.int8]: (bytes) => bytes.readBigInt64BE(),
  [TYPE.oid]: (bytes) => bytes.readUInt32BE(),
  [TYPE.float4]: (bytes) => bytes.readFloatBE(),
  [TYPE.float8]: (bytes) => bytes.readDoubleBE(),
  [TYPE.timestamp]: timeOf,
  [TYPE.timestamptz]: timeOf,
  [TYPE.date]: dateOf,
  [TYPE.numeric]: numericOf,
  [TYPE.uuid]: (bytes) =>
    bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  // The first byte is a version.
  [TYPE.jsonb]: (bytes) => bytes.toString('utf8', 1),
  ...Object.fromEntries(TEXTS.map((type) => [type, (bytes: Buffer) => bytes.toString()])),
};

/** The maximum number of dimensions of an array. */
const MOST_DIMENSIONS = 6;

/**
 * Returns an array as PostgreSQL writes it, such as `{1,2}`. Undefined if the bytes are no array. We
 * need not know the type, because an array begins with its dimensions and the type of its elements.
 */
function arrayFrom(bytes: Buffer): string | undefined {
  try {
    const reader = new Reader(bytes);
    const [dimensions, hasNulls, type] = [reader.int32(), reader.int32(), reader.int32()] as const;
    if (dimensions < 0 || dimensions > MOST_DIMENSIONS || hasNulls >>> 1 !== 0) return undefined;
    const lengths = Array.from({ length: dimensions }, () => {
      const length = reader.int32();
      // The lower bound.
      reader.int32();
      return length;
    });
    // Each element has at least the four bytes of its length, so a short value has few elements.
    const elements = lengths.reduce((product, length) => product * length, 1);
    if (lengths.some((length) => length < 1) || elements * 4 > bytes.length) return undefined;
    const read = ([length, ...inner]: number[]): string => {
      if (length === undefined) return String(decode(reader.value(), type, 1) ?? 'NULL');
      return `{${Array.from({ length }, () => read(inner)).join(',')}}`;
    };
    const text = dimensions === 0 ? '{}' : read(lengths);
    return reader.isAtEnd ? text : undefined;
  } catch {
    return undefined;
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Returns the bytes as a text, such as the word of an enum. Undefined if the bytes are no text. */
function textFrom(bytes: Buffer): string | undefined {
  try {
    const found = UTF8.decode(bytes);
    return /\p{Cc}/u.test(found) ? undefined : found;
  } catch {
    return undefined;
  }
}

/** The first id of a type that somebody has made. PostgreSQL's own types have smaller ids. */
export const FIRST_OWN_TYPE = 16_384;

/**
 * Returns a value as the transcript shows it. A binary value of an unknown type is shown in
 * hexadecimal. A type that somebody has made is often an enum, whose binary form is its text.
 */
export function decode(bytes: Buffer | null, type: number, format: number): unknown {
  if (bytes === null) return null;
  if (format === 0) {
    const found = bytes.toString();
    return type === TYPE.bool ? found === 't' : found;
  }
  try {
    const read = BINARY[type];
    if (read) return read(bytes);
  } catch {
    // The client has named a type that its value does not have. PostgreSQL will report this error.
  }
  const known = arrayFrom(bytes) ?? (type >= FIRST_OWN_TYPE ? textFrom(bytes) : undefined);
  return known ?? hexOf(bytes);
}

export function readFields(body: Buffer): Field[] {
  const reader = new Reader(body);
  return reader.list(() => {
    const name = reader.text();
    reader.bytes(6);
    const type = reader.int32();
    reader.bytes(6);
    return { name, type, format: reader.int16() };
  });
}

/** Returns a row by the names of its columns. */
export function readRow(body: Buffer, fields: readonly Field[]): Record<string, unknown> {
  const reader = new Reader(body);
  let index = 0;
  const entries = reader.list(() => {
    const { name, type, format } = fields[index++] ?? {
      name: `column${index}`,
      type: 0,
      format: 0,
    };
    return [name, decode(reader.value(), type, format)] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * Returns the format of the value at `index`. A single format applies to all values. Without a
 * format, all values are text.
 */
export const formatAt = (formats: readonly number[], index: number): number =>
  (formats.length === 1 ? formats[0] : formats[index]) ?? 0;
