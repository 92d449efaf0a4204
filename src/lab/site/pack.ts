import { deflateRawSync } from 'node:zlib';

/** JSON that is compressed, as base64. */
export type Packed = string;

/** Packs a value, so that a script can contain it. */
export const pack = (value: unknown): Packed =>
  deflateRawSync(JSON.stringify(value), { level: 9 }).toString('base64');
