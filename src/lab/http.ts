import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import { adminOnly } from '../auth/http.ts';
import { Admission, type AdmissionLimits } from '../claims/admission.ts';
import { admitted, answer } from '../claims/http.ts';
import { onlyMeant } from '../claims/only-meant.ts';
import { claimByGet } from '../claims/routes.ts';
import type { ClaimRequest } from '../claims/rules.ts';
import { settle } from '../claims/settle.ts';
import { type Database, LOCK_TIMEOUT_MS } from '../db/client.ts';
import { describe } from '../errors.ts';
import { guardedBy, newRoutes } from '../http.ts';
import type { Log } from '../log.ts';
import { methodNotAllowed, problem } from '../problem.ts';
import { bodyTooLarge } from '../problems.ts';
import { idBody } from '../schemas.ts';
import { explorationRoutes } from './explorations/http.ts';
import { addLabRows } from './lab-rows.ts';
import { playRoutes } from './play/http.ts';
import { clearTrack, layTrack, readTrack } from './race-track.ts';
import { roundRoutes } from './rounds/http.ts';
import type { LabStages } from './stages.ts';
import { strategies } from './strategies/index.ts';
import { noSuchStrategy, syllabusRoutes } from './syllabus/http.ts';

/** Connections of the lab's own, so that a race does not take those of the real claims. */
export const LAB_CONNECTIONS = 20;
const BODY_LIMIT_BYTES = 1_000;

const raceBody = z.object({
  capacity: z.int().min(1).max(1_000).default(4),
  recruiters: z.int().min(1).max(1_000).default(5),
});

/** Stands around each claim of the lab, such as to record it. */
type Around = <T>(request: ClaimRequest, claim: () => Promise<T>) => Promise<T>;

export const LAB_LIMITS: AdmissionLimits = {
  places: LAB_CONNECTIONS,
  placesPerJob: LAB_CONNECTIONS,
  queue: 1_000,
  waitMs: 5 * LOCK_TIMEOUT_MS,
  answerMs: 5 * LOCK_TIMEOUT_MS,
};

export interface LabDeps {
  /** A pool of `LAB_CONNECTIONS`. */
  db: Database;
  log: Log;
  stages: LabStages;
  /** Aborted when the server stops: streams end then. */
  stop: AbortSignal;
  around?: Around;
}

/** The lab's routes. Mounted in workshop mode only. */
export function createLab({
  db,
  log,
  stages,
  stop,
  around = (_, claim) => claim(),
}: LabDeps): ReturnType<typeof newRoutes> {
  const lab = newRoutes();
  lab.use(guardedBy(adminOnly));
  const admission = new Admission(LAB_LIMITS, (error) =>
    log.error({ event: 'claim failed after its answer', error: describe(error) }),
  );

  lab.route('/', syllabusRoutes());
  lab.route('/', explorationRoutes({ stages: stages.explorations, log, stop }));
  lab.route('/', roundRoutes({ stages: stages.races, log, stop }));
  for (const { name, claim } of strategies) {
    const path = `/strategies/${name}/claim-job` as const;
    lab.openapi(
      { ...claimByGet, path, hide: true, middleware: guardedBy(onlyMeant) },
      async (c) => {
        const request = c.req.valid('query');
        return admitted(admission, request.jobId, async () => {
          await addLabRows(db, request.jobId);
          const claimed = around(request, () => claim(db, request));
          return answer(c, await settle(claimed), 200);
        });
      },
    );
    lab.all(path, () => methodNotAllowed('GET'));
  }
  lab.all('/strategies/:name/claim-job', () => problem(noSuchStrategy));

  lab.route('/', playRoutes(stages.plays));
  lab.all('/plays', () => methodNotAllowed('POST'));

  lab.post('/races', bodyLimit({ maxSize: BODY_LIMIT_BYTES, onError: raceTooLarge }), async (c) => {
    const body = raceBody.safeParse(await c.req.json().catch(() => undefined));
    if (!body.success) return invalidRace();
    const { jobId, recruiterIds } = await layTrack(db, body.data);
    const location = c.req.path.replace(/\/?$/, `/${jobId}`);
    return c.json({ jobId: idBody(jobId), recruiterIds: recruiterIds.map(idBody) }, 201, {
      Location: location,
    });
  });
  lab.all('/races', () => methodNotAllowed('POST'));
  lab.get('/races/:jobId{[0-9]{1,18}}', async (c) => {
    const standing = await readTrack(db, BigInt(c.req.param('jobId')));
    return standing ? c.json(standing) : noSuchRace();
  });
  lab.delete('/races/:jobId{[0-9]{1,18}}', async (c) => {
    const cleared = await clearTrack(db, BigInt(c.req.param('jobId')));
    return cleared ? c.body(null, 204) : noSuchRace();
  });
  lab.all('/races/:jobId{[0-9]{1,18}}', () => methodNotAllowed('GET, HEAD, DELETE'));
  return lab;
}

const noSuchRace = () =>
  problem({
    status: 404,
    code: 'not-found',
    title: 'No such race',
    detail: 'The lab has made no job with this id.',
  });

const invalidRace = () =>
  problem({
    status: 400,
    code: 'invalid-request',
    title: 'Invalid request',
    detail: 'The body must be JSON with capacity and recruiters, each from 1 to 1000.',
  });

const raceTooLarge = () =>
  problem({
    ...bodyTooLarge,
    detail: `The body may have at most ${BODY_LIMIT_BYTES} bytes.`,
  });
