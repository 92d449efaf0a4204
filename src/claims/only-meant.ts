import type { Guard } from '../http/new-routes.ts';
import { problem } from '../http/problem.ts';
import { methodNotAllowed } from '../http/problems.ts';
import { prefetchRefused } from './answers.ts';

/** Browsers and proxies that ask for a page ahead of time say so in one of these. */
const PURPOSES = ['Sec-Purpose', 'Purpose', 'X-Purpose', 'X-Moz'];
const AHEAD_OF_TIME = /\b(prefetch|prerender|preview)\b/i;

/**
 * A GET that changes something is for callers who mean it. Hono hands a HEAD to the handler of GET.
 * Machines that do not know this GET may send it ahead of time; those that say so are refused.
 */
export const onlyMeant: Guard = ({ req }) => {
  if (req.method !== 'GET') return methodNotAllowed('GET');
  const isMeant = PURPOSES.every((name) => !AHEAD_OF_TIME.test(req.header(name) ?? ''));
  return isMeant ? undefined : problem(prefetchRefused);
};
