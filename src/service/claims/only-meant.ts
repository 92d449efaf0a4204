import type { Guard } from '../http/new-routes.ts';
import { problem } from '../http/problem.ts';
import { methodNotAllowed } from '../http/problems.ts';
import { prefetchRefused } from './answers.ts';

/** The headers in which a browser or a proxy says that it requests a page ahead of time. */
const PURPOSES = ['Sec-Purpose', 'Purpose', 'X-Purpose', 'X-Moz'];
const AHEAD_OF_TIME = /\b(prefetch|prerender|preview)\b/i;

/**
 * Refuses requests that nobody meant as a claim. A browser or a proxy may send a GET ahead of time.
 * This guard refuses a GET whose headers say that it is ahead of time. Hono passes HEAD to the
 * handler of GET, so the guard refuses HEAD too.
 */
export const onlyMeant: Guard = ({ req }) => {
  if (req.method !== 'GET') return methodNotAllowed('GET');
  const isMeant = PURPOSES.every((name) => !AHEAD_OF_TIME.test(req.header(name) ?? ''));
  return isMeant ? undefined : problem(prefetchRefused);
};
