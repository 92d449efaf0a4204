import type { Guard } from '../http/new-routes.ts';
import { problem } from '../http/problem.ts';
import { methodNotAllowed } from '../http/problems.ts';
import { prefetchRefused } from './answers.ts';

/** Browsers and proxies that ask for a page ahead of time say so in one of these headers. */
const PURPOSES = ['Sec-Purpose', 'Purpose', 'X-Purpose', 'X-Moz'];
const AHEAD_OF_TIME = /\b(prefetch|prerender|preview)\b/i;

/**
 * Refuses a GET that claims unless the caller means it. Hono gives a HEAD to the handler of GET, so a
 * HEAD is refused here. Machines may send a GET ahead of time: they are refused if they say so.
 */
export const onlyMeant: Guard = ({ req }) => {
  if (req.method !== 'GET') return methodNotAllowed('GET');
  const isMeant = PURPOSES.every((name) => !AHEAD_OF_TIME.test(req.header(name) ?? ''));
  return isMeant ? undefined : problem(prefetchRefused);
};
