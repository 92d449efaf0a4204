import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

/** The letters and digits that nobody confuses when a code is read aloud or from a projector. */
const CLEAR = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
/** With 31 characters there are about 888 million codes. `Guesses` limits the wrong attempts. */
const CODE_LENGTH = 6;

/** The code that lets people into the room, such as `K7M4QX`. */
export const makeCode = (): string =>
  Array.from({ length: CODE_LENGTH }, () => CLEAR[randomInt(CLEAR.length)]).join('');

/** Makes a secret that nobody can guess, for the teacher's page or the cookie of a student. */
export const makeSecret = (): string => randomBytes(16).toString('hex');

/** Returns a typed code without spaces and hyphens, in capital letters. */
export const readCode = (typed: string): string => typed.replaceAll(/[\s-]/g, '').toUpperCase();

/** Compares a text with a secret. The time of the comparison reveals nothing about the secret. */
export const isSame = (given: string, secret: string): boolean =>
  timingSafeEqual(digest(given), digest(secret));

const digest = (text: string) => createHash('sha256').update(text).digest();
