import type { Context } from 'hono';
import { stream } from 'hono/streaming';
import type { StreamingApi } from 'hono/utils/stream';
import { nameOf } from '../auth/caller.ts';
import { type Env, newRoutes } from '../http.ts';
import { problem, RETRY_AFTER } from '../problem.ts';
import { busy, shuttingDown, tooManyRequests } from '../problems.ts';
import type { Feed } from './feed.ts';
import type { Follower } from './follower.ts';
import * as routes from './routes.ts';

/** A client that takes nothing for so many heartbeats is cut off: it holds a place that others want. */
const STALL_HEARTBEATS = 4;
/** What a client has to take the end of its stream. */
const LAST_WORDS_MS = 1_000;

const HEADERS = {
  'Content-Type': 'text/event-stream',
  // Nothing follows on this connection, and a server that stops need not wait for it to idle.
  Connection: 'close',
  // nginx would collect the events in a buffer.
  'X-Accel-Buffering': 'no',
};

export const liveRoutes = ({ feed }: { feed: Feed }) =>
  newRoutes().openapi(routes.followJobs, async (c) => {
    // Hono hands a HEAD to this handler, and nobody would ever read its stream.
    if (c.req.method === 'HEAD') return c.body(null, 200, HEADERS);
    const { companyId, jobId: jobIds } = c.req.valid('query');
    const caller = c.get('caller');
    const { until } = caller;
    const leave = until === undefined ? {} : { by: nameOf(caller), until };
    const follower = await feed.follow({ companyId, jobIds }, leave);
    if (follower === 'full') return problem(tooManyFollow, {}, RETRY_AFTER);
    if (follower === 'full of yours') return problem(tooManyOfYours, {}, RETRY_AFTER);
    if (follower === 'closed') return problem(shuttingDown, {}, RETRY_AFTER);
    if (follower === 'too many jobs') return problem(routes.tooManyJobs);
    for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
    return stream(c, (out) => deliver(follower, out, () => cutOff(c)));
  });

const tooManyFollow = {
  ...busy,
  detail: 'As many clients follow the jobs as this server takes. Ask again.',
};

const tooManyOfYours = {
  ...tooManyRequests,
  detail: 'You follow the jobs on as many streams as one caller may: end one of them.',
} as const;

/** Writes no faster than the client reads. */
async function deliver(follower: Follower, out: StreamingApi, cut: () => void) {
  out.onAbort(() => follower.leave());
  follower.left.addEventListener('abort', () => setTimeout(cut, LAST_WORDS_MS).unref());
  for await (const text of follower.texts()) {
    const stalled = setTimeout(cut, follower.heartbeatMs * STALL_HEARTBEATS);
    await out.write(text);
    clearTimeout(stalled);
  }
}

/** Ends the connection, where there is one, whatever is still to be sent. */
const cutOff = (c: Context<Env>) => c.env?.outgoing?.destroy();
