import type { DatabaseConnection, StatementTime } from '../../platform/db/client.ts';
import { describe } from '../../platform/process/errors.ts';
import type { Log } from '../../platform/process/log.ts';
import { Admission } from '../../platform/waiting/admission.ts';
import { ClaimQueue } from '../../service/claims/group-commit.ts';
import { claimRoutes } from '../../service/claims/http.ts';
import { CHANGE_LIMITS, QUEUE_LIMITS } from '../../service/claims/limits.ts';
import { DEFAULT_OFFER_MINUTES } from '../../service/database/schema.ts';
import { ANYBODY } from '../../service/http/auth/caller.ts';
import { type Guard, guardedBy, newRoutes } from '../../service/http/new-routes.ts';
import { answerOtherwise } from '../../service/http/otherwise.ts';
import { problem } from '../../service/http/problem.ts';
import { createWrite, judgeKey } from '../../service/idempotency/http.ts';
import { InTurn } from '../../service/idempotency/in-turn.ts';
import { jobRoutes } from '../../service/jobs/http.ts';
import { Feed } from '../../service/live/feed.ts';
import { liveRoutes } from '../../service/live/http.ts';
import { recruiterRoutes } from '../../service/recruiters/http.ts';
import { waitlistRoutes } from '../../service/waitlist/http.ts';
import { notHere } from './problems.ts';

/** The board of one student: the service's routes of jobs and claims on the student's database. */
export interface Board {
  fetch(request: Request, env: unknown): Response | Promise<Response>;
  close(): Promise<void>;
}

/**
 * The limits of streams. A student has one page open, and perhaps a second page for another
 * recruiter.
 */
const STREAMS = { followers: 6, followersOfNetwork: 6 };
/**
 * The limit of waiting changes. The limit is low, since only one person presses the buttons of a
 * board.
 */
const FEW = { longest: 50 };
const KEY_HOURS = 24;
const KEY_WAIT_MS = 2_000;

/** The requests of the board's page. They do not make or change jobs, companies or recruiters. */
const ALLOWED = [
  /^GET \/jobs$/,
  /^GET \/jobs\/[^/]+$/,
  /^GET \/recruiters(\/[^/]+(\/(claims|waitlist))?)?$/,
  /^POST \/jobs\/[^/]+\/(claims|waitlist)$/,
  /^DELETE \/jobs\/[^/]+\/waitlist\/[^/]+$/,
  /^(GET|DELETE) \/claims\/[^/]+$/,
  /^POST \/claims\/[^/]+\/(renew|accept)$/,
];

type Connect = (observe: (statement: StatementTime) => void) => DatabaseConnection;

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
  const offerMinutes = DEFAULT_OFFER_MINUTES;
  routes.route('/', waitlistRoutes({ db, write, admission, offerMinutes }));
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

/** Lets a student act as any recruiter of the student's own board. */
const asOwner: Guard = (c) => {
  c.set('caller', ANYBODY);
  return undefined;
};
