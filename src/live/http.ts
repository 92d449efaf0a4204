import { nameOf } from '../auth/caller.ts';
import { newRoutes } from '../http.ts';
import { problem, RETRY_AFTER } from '../problem.ts';
import { busy, shuttingDown, tooManyRequests } from '../problems.ts';
import type { Feed } from './feed.ts';
import * as routes from './routes.ts';
import { headOfEvents, streamEvents } from './stream-http.ts';

export const liveRoutes = ({ feed }: { feed: Feed }) =>
  newRoutes().openapi(routes.followJobs, async (c) => {
    if (c.req.method === 'HEAD') return headOfEvents(c);
    const { companyId, jobId: jobIds } = c.req.valid('query');
    const caller = c.get('caller');
    const { until } = caller;
    const leave = until === undefined ? {} : { by: nameOf(caller), until };
    const follower = await feed.follow({ companyId, jobIds }, leave);
    if (follower === 'full') return problem(tooManyFollow, {}, RETRY_AFTER);
    if (follower === 'full of yours') return problem(tooManyOfYours, {}, RETRY_AFTER);
    if (follower === 'closed') return problem(shuttingDown, {}, RETRY_AFTER);
    if (follower === 'too many jobs') return problem(routes.tooManyJobs);
    return streamEvents(c, follower);
  });

const tooManyFollow = {
  ...busy,
  detail: 'As many clients follow the jobs as this server takes. Ask again.',
};

const tooManyOfYours = {
  ...tooManyRequests,
  detail: 'You follow the jobs on as many streams as one caller may: end one of them.',
} as const;
