import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { z } from 'zod';
import type { Caller } from '../../service/http/auth/caller.ts';
import { type Env, type Guard, newRoutes } from '../../service/http/new-routes.ts';
import { problem } from '../../service/http/problem.ts';
import { invalid, notJson } from '../../service/http/problems.ts';
import { isSame, readCode } from './code.ts';
import { Guesses } from './guesses.ts';
import { cleanName, isName, LONGEST_NAME } from './names.ts';
import { joinFirst, roomFull, tooManyGuesses, wrongCode } from './problems.ts';
import type { Roll, Student } from './roll.ts';

/**
 * Returns the name of the cookie. It contains the port, because browsers do not separate cookies by
 * port. Otherwise two rooms on one computer would replace each other's cookies.
 */
const cookieOf = (c: Context<Env>): string =>
  `rowlock_student_${c.env?.incoming?.socket.localPort ?? 0}`;
/**
 * The time for which the cookie is valid. The time is longer than a day at school, and the room
 * ends sooner.
 */
const COOKIE_S = 12 * 3_600;

const A_NAME = `is a name of at most ${LONGEST_NAME} characters`;

const joining = z.strictObject({
  code: z.string('is the code of the room').max(40, 'is the code of the room').default(''),
  name: z.string(A_NAME).max(200, A_NAME).transform(cleanName).refine(isName, A_NAME),
});

export interface DoorDeps {
  code: string;
  roll: Roll;
  guesses?: Guesses;
}

/** Lets in people who know the code. A student who has joined already can change the name. */
export function doorRoutes({ code, roll, guesses = new Guesses() }: DoorDeps) {
  const routes = newRoutes();
  routes.post('/join', async (c) => {
    const body: unknown = await c.req.json().catch(() => undefined);
    if (body === undefined) return problem(notJson);
    const asked = joining.safeParse(body);
    if (!asked.success) return invalid(asked.error, 'body');
    const known = studentOf(c, roll);
    if (known) {
      roll.rename(known, asked.data.name);
      return c.json({ name: known.name }, 200);
    }
    const address = c.env?.incoming?.socket.remoteAddress ?? '';
    const seconds = guesses.waitOf(address);
    if (seconds > 0) return problem(tooManyGuesses, {}, { 'Retry-After': String(seconds) });
    if (!isSame(readCode(asked.data.code), code)) {
      guesses.noteWrong(address);
      return problem(wrongCode);
    }
    const student = roll.join(asked.data.name);
    if (student === 'full') return problem(roomFull);
    setCookie(c, cookieOf(c), student.secret, {
      httpOnly: true,
      // With Strict, a phone would not send the cookie when its camera opens the address.
      sameSite: 'Lax',
      path: '/',
      maxAge: COOKIE_S,
    });
    return c.json({ name: student.name }, 200);
  });
  return routes;
}

/** Returns the student whose cookie the request has. */
export const studentOf = (c: Context<Env>, roll: Roll): Student | undefined =>
  roll.find(getCookie(c, cookieOf(c)) ?? '');

export const callerOf = ({ number }: Student): Caller => ({
  role: 'recruiter',
  id: BigInt(number),
});

/** Returns the number of the student whose name as a caller this is (see `nameOf`). */
export const numberOf = (caller: string): number => Number(/\d+/.exec(caller)?.[0] ?? 0);

/** Notes which student sends the request, and lets everybody pass. */
export const noteStudent =
  (roll: Roll): Guard =>
  (c) => {
    const student = studentOf(c, roll);
    if (student) c.set('caller', callerOf(student));
    return undefined;
  };

/** A browser without a cookie is sent from these pages to the page to join. */
const PAGES = ['/', '/lab'];

/** Lets only students pass. A student has the rights of a recruiter. */
export const studentsOnly =
  (roll: Roll): Guard =>
  (c) => {
    const student = studentOf(c, roll);
    if (!student) return PAGES.includes(c.req.path) ? c.redirect('/join', 303) : problem(joinFirst);
    c.set('caller', callerOf(student));
    return undefined;
  };
