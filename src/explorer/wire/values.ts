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
  int8: 20,
  int2: 21,
  int4: 23,
  oid: 26,
  float4: 700,
  float8: 701,
  timestamp: 1114,
  timestamptz: 1184,
  jsonb: 3802,
};
/** Types whose binary form is their text: name, text, json, unknown, bpchar and varchar. */
const TEXTS = [19, 25, 114, 705, 1042, 1043];

const YEAR_2000_MS = Date.UTC(2000, 0, 1);

const timeOf = (bytes: Buffer) =>
  new Date(YEAR_2000_MS + Number(bytes.readBigInt64BE() / 1000n)).toISOString();

const BINARY: Record<number, (bytes: Buffer) => unknown> = {
  [TYPE.bool]: (bytes) => bytes[0] === 1,
  [TYPE.int2]: (bytes) => bytes.readInt16BE(),
  [TYPE.int4]: (bytes) => bytes.readInt32BE(),
  [TYPE.int8]: (bytes) => bytes.readBigInt64BE(),
  [TYPE.oid]: (bytes) => bytes.readUInt32BE(),
  [TYPE.float4]: (bytes) => bytes.readFloatBE(),
  [TYPE.float8]: (bytes) => bytes.readDoubleBE(),
  [TYPE.timestamp]: timeOf,
  [TYPE.timestamptz]: timeOf,
  // The first byte is a version.
  [TYPE.jsonb]: (bytes) => bytes.toString('utf8', 1),
  ...Object.fromEntries(TEXTS.map((type) => [type, (bytes: Buffer) => bytes.toString()])),
};

/**
 * Returns a value as the transcript shows it. A binary value of an unknown type is shown in
 * hexadecimal.
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
  return `\\x${bytes.toString('hex')}`;
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
