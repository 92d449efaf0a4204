import type { Context } from 'hono';
import { answers } from '../claims/answers.ts';
import { companyNotFound } from '../companies/routes.ts';
import { isRecruiter, nameOf } from '../http/auth/caller.ts';
import { headOfEvents, streamEvents } from '../http/event-stream.ts';
import { networkOf } from '../http/network.ts';
import { type Env, newRoutes } from '../http/new-routes.ts';
import { problem, RETRY_AFTER } from '../http/problem.ts';
import {
  busy,
  forbidden,
  invalidRequest,
  shuttingDown,
  tooManyRequests,
} from '../http/problems.ts';
import type { Client, Feed, NotFollowed } from './feed.ts';
import type { Follower } from './follower.ts';
import * as routes from './routes.ts';

export const liveRoutes = ({ feed, onCutOff }: { feed: Feed; onCutOff: () => void }) =>
  newRoutes()
    .openapi(routes.followJobs, async (c) => {
      if (c.req.method === 'HEAD') return headOfEvents(c);
      const { companyId, jobId: jobIds } = c.req.valid('query');
      const follower = await feed.follow({ companyId, jobIds }, clientOf(c));
      if (follower === 'too many jobs') return problem(routes.tooManyJobs);
      if (follower === 'not found') return problem(companyNotFound);
      return answerOf(c, follower, onCutOff);
    })
    .openapi(routes.followClaims, async (c) => {
      const { recruiterId: asked } = c.req.valid('query');
      const caller = c.get('caller');
      const recruiterId = caller.role === 'recruiter' ? caller.id : asked;
      if (caller.role === 'company') return problem(forbidden);
      if (recruiterId === undefined) return problem(whichRecruiter);
      if (asked !== undefined && !isRecruiter(caller, asked)) return problem(forbidden);
      if (c.req.method === 'HEAD') return headOfEvents(c);
      const follower = await feed.follow({ recruiterId }, clientOf(c));
      if (follower === 'not found') return problem(answers['no-such-recruiter']);
      // Only a stream of jobs can have too many jobs.
      if (follower === 'too many jobs') throw new Error('claims were counted as jobs');
      return answerOf(c, follower, onCutOff);
    });

function answerOf(
  c: Context<Env>,
  follower: Follower | Exclude<NotFollowed, 'not found' | 'too many jobs'>,
  onCutOff: () => void,
) {
  if (follower === 'full') return problem(tooManyFollow, {}, RETRY_AFTER);
  if (follower === 'full of yours') return problem(tooManyOfYours, {}, RETRY_AFTER);
  if (follower === 'closed') return problem(shuttingDown, {}, RETRY_AFTER);
  return streamEvents(c, follower, onCutOff);
}

const whichRecruiter = {
  ...invalidRequest,
  detail: 'recruiterId is missing. Only the token of a recruiter tells whose claims you follow.',
} as const;

/**
 * Returns the client of a request. Without tokens, all clients are the same caller. Only their
 * network addresses differ.
 */
function clientOf(c: Context<Env>): Client {
  const caller = c.get('caller');
  const { until } = caller;
  return until === undefined ? { network: networkOf(c) } : { caller: nameOf(caller), until };
}

const tooManyFollow = {
  ...busy,
  detail: 'The server has as many followers as it allows. Try again later.',
};

const tooManyOfYours = {
  ...tooManyRequests,
  detail: 'You have as many streams of events as one client may have. Close one of them.',
} as const;
