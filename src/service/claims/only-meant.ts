import type { Guard } from '../http/new-routes.ts';
import { problem } from '../http/problem.ts';
import { methodNotAllowed } from '../http/problems.ts';
import { prefetchRefused } from './answers.ts';

/** Browsers and proxies that request a page ahead of time say so in one of these headers. */
const PURPOSES = ['Sec-Purpose', 'Purpose', 'X-Purpose', 'X-Moz'];
const AHEAD_OF_TIME = /\b(prefetch|prerender|preview)\b/i;

/**
 * Refuses requests that nobody meant as a claim. A browser or a proxy may send a GET ahead of time.
 * This guard refuses the GET if its headers say so. Hono passes HEAD to the handler of GET, so the
 * guard refuses HEAD too.
 */
export const onlyMeant: Guard = ({ req }) => {
  if (req.method !== 'GET') return methodNotAllowed('GET');
  const isMeant = PURPOSES.every((name) => !AHEAD_OF_TIME.test(req.header(name) ?? ''));
  return isMeant ? undefined : problem(prefetchRefused);
};
