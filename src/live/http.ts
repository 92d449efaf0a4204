import { isIPv6 } from 'node:net';
import type { Context } from 'hono';
import { expandIPv6 } from 'hono/utils/ipaddr';
import { nameOf } from '../http/auth/caller.ts';
import { headOfEvents, streamEvents } from '../http/event-stream.ts';
import { type Env, newRoutes } from '../http/new-routes.ts';
import { problem, RETRY_AFTER } from '../http/problem.ts';
import { busy, shuttingDown, tooManyRequests } from '../http/problems.ts';
import type { Client, Feed } from './feed.ts';
import * as routes from './routes.ts';

export const liveRoutes = ({ feed }: { feed: Feed }) =>
  newRoutes().openapi(routes.followJobs, async (c) => {
    if (c.req.method === 'HEAD') return headOfEvents(c);
    const { companyId, jobId: jobIds } = c.req.valid('query');
    const follower = await feed.follow({ companyId, jobIds }, clientOf(c));
    if (follower === 'full') return problem(tooManyFollow, {}, RETRY_AFTER);
    if (follower === 'full of yours') return problem(tooManyOfYours, {}, RETRY_AFTER);
    if (follower === 'closed') return problem(shuttingDown, {}, RETRY_AFTER);
    if (follower === 'too many jobs') return problem(routes.tooManyJobs);
    return streamEvents(c, follower);
  });

/** Without tokens, all clients are the same caller. Only their network addresses differ. */
function clientOf(c: Context<Env>): Client {
  const caller = c.get('caller');
  const { until } = caller;
  return until === undefined
    ? { network: networkOf(c.env?.incoming?.socket.remoteAddress) }
    : { caller: nameOf(caller), until };
}

/**
 * The whole IPv4 address, or the first half of an IPv6 address. A host may choose the second half
 * freely.
 */
function networkOf(address = ''): string {
  const plain = address.replace(/^::ffff:/i, '');
  return isIPv6(plain) ? expandIPv6(plain).slice(0, '0000:0000:0000:0000'.length) : plain;
}

const tooManyFollow = {
  ...busy,
  detail: 'The server has as many followers as it allows. Try again later.',
};

const tooManyOfYours = {
  ...tooManyRequests,
  detail: 'You have as many streams of events as one client may have. Close one of them.',
} as const;
