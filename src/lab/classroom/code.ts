import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

/** Letters and digits that nobody confuses when they are read aloud or from a projector. */
const CLEAR = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
/** With 30 signs there are 729 million codes. `Guesses` says how many of them may be tried. */
const CODE_LENGTH = 6;

/** The code that lets people into the room, such as `K7M4QX`. */
export const makeCode = (): string =>
  Array.from({ length: CODE_LENGTH }, () => CLEAR[randomInt(CLEAR.length)]).join('');

/** A secret that nobody can guess: the teacher's, or the cookie of a student. */
export const makeSecret = (): string => randomBytes(16).toString('hex');

/** A typed code without spaces and hyphens, in capital letters. */
export const readCode = (typed: string): string => typed.replaceAll(/[\s-]/g, '').toUpperCase();

/** Compares in a time that tells nothing about the secret. */
export const isSame = (given: string, secret: string): boolean =>
  timingSafeEqual(digest(given), digest(secret));

const digest = (text: string) => createHash('sha256').update(text).digest();
