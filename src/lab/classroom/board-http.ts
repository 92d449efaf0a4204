import { ClaimQueue } from '../../claims/batching/claim-queue.ts';
import { claimRoutes } from '../../claims/http.ts';
import { CHANGE_LIMITS, QUEUE_LIMITS } from '../../claims/limits.ts';
import type { Connection, StatementTime } from '../../db/client.ts';
import { ANYBODY } from '../../http/auth/caller.ts';
import { createWrite, judgeKey } from '../../http/idempotency/http.ts';
import { InTurn } from '../../http/idempotency/in-turn.ts';
import { type Guard, guardedBy, newRoutes } from '../../http/new-routes.ts';
import { problem } from '../../http/problem.ts';
import { jobRoutes } from '../../jobs/http.ts';
import { Feed } from '../../live/feed.ts';
import { liveRoutes } from '../../live/http.ts';
import { describe } from '../../process/errors.ts';
import type { Log } from '../../process/log.ts';
import { recruiterRoutes } from '../../recruiters/http.ts';
import { answerOtherwise } from '../../service/otherwise.ts';
import { Admission } from '../../waiting/admission.ts';
import { notHere } from './problems.ts';

/** The service's own routes of jobs and claims, over the database of one student. */
export interface Board {
  fetch(request: Request, env: unknown): Response | Promise<Response>;
  close(): Promise<void>;
}

/** A student has one page open, and perhaps a second one for another recruiter. */
const STREAMS = { followers: 6, followersOfNetwork: 6 };
/** One person presses the buttons of a board. */
const FEW = { longest: 50 };
const KEY_HOURS = 24;
const KEY_WAIT_MS = 2_000;

/** The requests of the board's page. None makes or changes jobs, companies or recruiters. */
const ALLOWED = [
  /^GET \/jobs$/,
  /^GET \/jobs\/[^/]+$/,
  /^GET \/recruiters(\/[^/]+(\/claims)?)?$/,
  /^POST \/jobs\/[^/]+\/claims$/,
  /^(GET|DELETE) \/claims\/[^/]+$/,
  /^POST \/claims\/[^/]+\/renew$/,
];

type Connect = (observe: (statement: StatementTime) => void) => Connection;

export function openBoard(open: Connect, log: Log): Board {
  const connection = open((statement) => feed.observe(statement));
  const { db, first } = connection;
  const feed = new Feed({ db, log, limits: STREAMS });
  const inTurn = new InTurn(KEY_WAIT_MS);
  const write = createWrite(db, inTurn);
  const logLate = (error: unknown) =>
    log.error({ event: 'claim failed after its answer', error: describe(error) });
  const admission = new Admission({ ...CHANGE_LIMITS, ...FEW }, logLate);
  const queue = new ClaimQueue(first, QUEUE_LIMITS, logLate);
  const routes = newRoutes();
  routes.use(
    guardedBy(
      notFoundUnlessAllowed,
      asOwner,
      judgeKey(db, inTurn, { hours: KEY_HOURS, isOpen: never }),
    ),
  );
  routes.route('/', claimRoutes({ db, write, admission, queue, onOutcome: () => undefined }));
  routes.route('/', liveRoutes({ feed, onCutOff: () => undefined }));
  routes.route('/', jobRoutes({ db, write, admission }));
  routes.route('/', recruiterRoutes({ db, write }));
  answerOtherwise(routes, log);
  return {
    fetch: (request, env) => routes.fetch(request, env as object),
    async close() {
      feed.close();
      await connection.close();
    },
  };
}

const never = () => false;

const notFoundUnlessAllowed: Guard = (c) => {
  const { method, path } = c.req;
  const asked = `${method === 'HEAD' ? 'GET' : method} ${path}`;
  return ALLOWED.some((each) => each.test(asked)) ? undefined : problem(notHere);
};

/** Students may be any recruiter of their own board. */
const asOwner: Guard = (c) => {
  c.set('caller', ANYBODY);
  return undefined;
};
