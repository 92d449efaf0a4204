import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import { LOCK_TIMEOUT_MS } from '../../../platform/db/client.ts';
import { describe } from '../../../platform/process/errors.ts';
import type { Log } from '../../../platform/process/log.ts';
import { Admission, type AdmissionLimits } from '../../../platform/waiting/admission.ts';
import { refuseOtherSites } from '../../../service/http/edge/http.ts';
import { guardedBy, newRoutes } from '../../../service/http/new-routes.ts';
import { problem, RETRY_AFTER } from '../../../service/http/problem.ts';
import {
  bodyTooLarge,
  invalid,
  invalidRequest,
  methodNotAllowed,
  notJson,
} from '../../../service/http/problems.ts';
import { chapters, findStrategy } from '../../chapters/index.ts';
import { labBusy, noSuchStrategy, refusalAnswer } from '../../problems.ts';
import { hasRequests } from '../report.ts';
import { TRACK_CONNECTIONS } from '../track.ts';
import { Races, type RacesDeps } from './races.ts';

const BODY_LIMIT_BYTES = 1_000;

const from1To1000 = 'is a whole number from 1 to 1000';
const upTo1000 = z.int(from1To1000).min(1, from1To1000).max(1_000, from1To1000);
const race = z.object({
  strategy: z.string('is the name of a strategy'),
  capacity: upTo1000.default(4),
  recruiters: upTo1000.default(5),
});

/**
 * The limits on the requests of a race. The maximum number of running requests is the number of
 * connections of a track. Further requests wait, as in production.
 */
export const RACE_CLAIM_LIMITS: AdmissionLimits = {
  places: TRACK_CONNECTIONS,
  longest: 1_000,
  waitMs: 5 * LOCK_TIMEOUT_MS,
  answerMs: 5 * LOCK_TIMEOUT_MS,
};

/**
 * Makes the routes of races in which the caller sends the requests. The requests have the same form
 * as requests to production. Each race has its own address and a scratch database. A race ends when
 * its caller ends it, or after a time limit.
 */
export function raceRoutes(
  { log, ...deps }: RacesDeps & { log: Log },
  corsOrigins: readonly string[],
) {
  const races = new Races(deps);
  const admission = new Admission(RACE_CLAIM_LIMITS, (error) =>
    log.error({ event: 'a request of a race failed after its answer', error: describe(error) }),
  );
  const routes = newRoutes();

  routes.post(
    '/races',
    bodyLimit({ maxSize: BODY_LIMIT_BYTES, onError: () => problem(raceTooLarge) }),
    async (c) => {
      const body: unknown = await c.req.json().catch(() => undefined);
      if (body === undefined) return problem(notJson);
      const asked = race.safeParse(body);
      if (!asked.success) return invalid(asked.error, 'body');
      const found = findStrategy(asked.data.strategy);
      if (typeof found === 'string') return problem(noSuchStrategy(found));
      const { chapter, strategy } = found;
      if (!hasRequests(chapter)) return problem(noRequests(chapter.name));
      const { path } = chapter.race.overHttp.route;
      const { capacity, recruiters: sessions } = asked.data;
      try {
        const begun = await races.begin(
          { chapter, strategy },
          { capacity, sessions },
          c.req.raw.signal,
        );
        if ('kind' in begun) return problem(labBusy, {}, RETRY_AFTER);
        const { id, course } = begun;
        const requests = course.queries.map((query) => `${path.slice(1)}?${query}`);
        const open = { race: id, requests, ...course.ids };
        return c.json(open, 201, { Location: c.req.path.replace(/\/?$/, `/${id}`) });
      } catch (error) {
        return refusalAnswer(error);
      }
    },
  );
  routes.all('/races', () => methodNotAllowed('POST'));

  for (const chapter of chapters.filter(hasRequests)) {
    const { route, guard, answer } = chapter.race.overHttp;
    const path = `/races/{race}${route.path}`;
    // A GET changes data here, as in production. So requests from other sites are refused.
    const middleware = guardedBy(refuseOtherSites(corsOrigins), guard);
    routes.openapi({ ...route, path, hide: true, middleware }, async (c) => {
      const found = races.find(chapter, c.req.param('race') ?? '');
      if (!found) return problem(noSuchRace);
      const request = c.req.valid('query' as never);
      const asked = await admission.run(() => found.ask(request));
      if (!asked) return problem(noSuchRace);
      return answer(c, 'kind' in asked ? asked : asked.answer);
    });
    routes.all(path.replace('{race}', ':race'), () => methodNotAllowed('GET'));
  }

  routes.get('/races/:race', async (c) => {
    const standing = await races.standing(c.req.param('race'));
    return standing ? c.json(standing) : problem(noSuchRace);
  });
  routes.delete('/races/:race', async (c) =>
    (await races.end(c.req.param('race'))) ? c.body(null, 204) : problem(noSuchRace),
  );
  routes.all('/races/:race', () => methodNotAllowed('GET, HEAD, DELETE'));
  return routes;
}

const noSuchRace = {
  status: 404,
  code: 'not-found',
  title: 'No such race',
  detail: 'There is no race with this id, or the race has ended.',
} as const;

const noRequests = (chapter: string) =>
  ({
    ...invalidRequest,
    detail: `Strategies of ${chapter} answer no requests. POST /lab/rounds races them.`,
  }) as const;

const raceTooLarge = {
  ...bodyTooLarge,
  detail: `The body may have at most ${BODY_LIMIT_BYTES} bytes.`,
};
