import { METHODS } from 'node:http';
import { bodyLimit } from 'hono/body-limit';
import { type Database, LOCK_TIMEOUT_MS } from '../../platform/db/client.ts';
import { describe } from '../../platform/process/errors.ts';
import type { Log } from '../../platform/process/log.ts';
import { Admission, type AdmissionLimits } from '../../platform/waiting/admission.ts';
import { ClaimQueue, type QueueLimits } from '../claims/group-commit.ts';
import { claimRoutes } from '../claims/http.ts';
import { CHANGE_LIMITS, QUEUE_LIMITS } from '../claims/limits.ts';
import { companyRoutes } from '../companies/http.ts';
import { type AuthSettings, asksForTokens } from '../config/auth.ts';
import { DEFAULT_OFFER_MINUTES } from '../database/schema.ts';
import { adminOnly, authenticate, opensFor, type Question } from '../http/auth/http.ts';
import { docsRoutes } from '../http/docs/http.ts';
import { problemPages } from '../http/docs/problem-pages.ts';
import {
  BODY_LIMIT_BYTES,
  byLoopbackNameOnly,
  complete,
  crossOrigin,
  limitRate,
  noteRefusedOrigins,
  refuseCrossSite,
} from '../http/edge/http.ts';
import { tellRefusedOrigins } from '../http/edge/refused-origins.ts';
import { type Guard, guardedBy, newRoutes } from '../http/new-routes.ts';
import { answerOtherwise, refuseOtherMethods } from '../http/otherwise.ts';
import { problem, RETRY_AFTER } from '../http/problem.ts';
import type { Meaning } from '../http/problem-list.ts';
import { bodyTooLarge, shuttingDown } from '../http/problems.ts';
import { createWrite, judgeKey } from '../idempotency/http.ts';
import { InTurn } from '../idempotency/in-turn.ts';
import { jobRoutes } from '../jobs/http.ts';
import type { Feed } from '../live/feed.ts';
import { liveRoutes } from '../live/http.ts';
import { observeRequests, operationRoutes } from '../operation/http.ts';
import { createMetrics, type Metrics } from '../operation/metrics.ts';
import { taskRoutes } from '../operation/tasks/http.ts';
import { recruiterRoutes } from '../recruiters/http.ts';
import { waitlistRoutes } from '../waitlist/http.ts';
import { deliveryRoutes } from '../webhooks/deliveries/http.ts';
import { endpointRoutes } from '../webhooks/endpoints/http.ts';

export interface AppDeps {
  db: Database;
  /**
   * The database for batches of claims. A batch gets a free connection before the requests that
   * wait for `db`. Such requests lose little time, because there are few batches.
   */
  claimsDb?: Database;
  /** Sends followers the changes of the jobs. On a shutdown the feed is closed first. */
  feed: Feed;
  /**
   * Whether the server is shutting down. In a shutdown, the server finishes running requests and
   * refuses new requests.
   */
  isDraining?: () => boolean;
  /** Whether the worker of this process, if there is one, can renew its leases. */
  isAbleToRenew?: () => boolean;
  /** Called when a request has made a task due. */
  onDueTask?: () => void;
  log: Log;
  metrics?: Metrics;
  /**
   * The database for health checks, with separate connections. So claims do not delay the checks.
   */
  probe?: Database;
  limits?: Partial<QueueLimits>;
  changeLimits?: Partial<AdmissionLimits>;
  /** How many hours an idempotency key is remembered. */
  keyHours?: number;
  /** How many minutes an offer of a waitlist lasts, unless the company chooses another time. */
  offerMinutes?: number;
  /** How long a repeated request waits for the first request with the same key. */
  keyWaitMs?: number;
  /** Who may use the service. By default, everybody on this machine. */
  auth?: AuthSettings;
  /** A token that allows a request to read the metrics, and nothing else. */
  metricsToken?: string | undefined;
  /** Further paths that need no token. A `*` at the end stands for any text. */
  openPages?: readonly string[];
  /** Problems that only routes outside the API return. These problems have pages too. */
  furtherProblems?: Record<string, Meaning> | undefined;
  /** Web pages of these origins may use the service, such as https://jobs.example. */
  corsOrigins?: readonly string[];
  /**
   * The maximum number of requests of one caller in a minute, and the maximum number of invalid
   * tokens from one network in a minute. 0 means no limit.
   */
  rateLimit?: number;
  /** Whether the endpoints of webhooks may be on this machine. */
  webhookLoopback?: boolean | undefined;
}

const KEY_HOURS = 24;
/**
 * The methods whose bodies are checked. Checking GET bodies costs 70 µs a request, so we leave out
 * GET. Bodies are checked at every address, because idempotency keys are handled before the routes.
 */
const WITH_BODY = METHODS.filter((method) => !['GET', 'HEAD'].includes(method));

/**
 * Makes the HTTP service over a database. The app does not listen on a port. Tests call
 * `app.request` directly.
 */
export function createApp(deps: AppDeps) {
  const { db, feed, log, limits, changeLimits } = deps;
  const { isDraining = () => false, isAbleToRenew = () => true, onDueTask = () => {} } = deps;
  const { metrics = createMetrics(), probe = db, claimsDb = db } = deps;
  const { keyHours = KEY_HOURS, keyWaitMs = LOCK_TIMEOUT_MS } = deps;
  const { auth = { kind: 'loopback' }, corsOrigins = [], rateLimit = 0, openPages = [] } = deps;
  const { webhookLoopback = false, metricsToken, offerMinutes = DEFAULT_OFFER_MINUTES } = deps;
  const isOpen = opensFor(openPages);
  // True for requests for the state of the service or for a page. The service also answers such
  // requests during a shutdown, and without a rate limit.
  const isAboutService: Question = (c) => isOpen(c) || c.req.path === '/metrics';
  const logLate = (error: unknown) =>
    log.error({ event: 'claim failed after its answer', error: describe(error) });
  const admission = new Admission({ ...CHANGE_LIMITS, ...changeLimits }, logLate);
  const queue = new ClaimQueue(claimsDb, { ...QUEUE_LIMITS, ...limits }, logLate);
  const inTurn = new InTurn(keyWaitMs);
  const write = createWrite(db, inTurn);

  const { gauge } = metrics;
  gauge('rowlock_claims_waiting', 'Claims without an answer yet.', () => queue.load().claims);
  gauge(
    'rowlock_claim_transactions',
    'Transactions that decide claims.',
    () => queue.load().transactions,
  );
  gauge('rowlock_followers', 'Clients that follow the jobs.', () => feed.load().followers);
  gauge('rowlock_draining', '1 while the server shuts down.', () => Number(isDraining()));

  const app = newRoutes();
  app.use(complete(observeRequests(log, metrics)));
  const onRefusedOrigin = tellRefusedOrigins(log, corsOrigins);
  if (corsOrigins.length > 0) app.use(crossOrigin(corsOrigins, onRefusedOrigin));
  const limitBody = bodyLimit({
    maxSize: BODY_LIMIT_BYTES,
    onError: () => problem(bodyTooLarge),
  });
  app.on(WITH_BODY, '*', limitBody);
  const byName = auth.kind === 'loopback' ? [byLoopbackNameOnly()] : [];
  const atTheDoor = [
    ...byName,
    noteRefusedOrigins(corsOrigins, onRefusedOrigin),
    refuseCrossSite(corsOrigins),
    refuseWhile(isDraining, isAboutService),
    authenticate(auth, log, { isOpen, metricsToken, rateLimit }),
  ];
  const judged = judgeKey(db, inTurn, { hours: keyHours, isOpen });
  if (rateLimit === 0) app.use(guardedBy(...atTheDoor, judged));
  else app.use(guardedBy(...atTheDoor), limitRate(rateLimit, isAboutService), guardedBy(judged));
  app.use('/metrics', guardedBy(adminOnly));
  for (const path of ['/tasks', '/tasks/*', '/workers']) app.use(path, guardedBy(adminOnly));
  const operation = operationRoutes({ db: probe, isDraining, isAbleToRenew, metrics });
  refuseOtherMethods(operation);
  app.route('/', operation);
  app.route('/', docsRoutes(app, { tokens: asksForTokens(auth) }));
  app.route('/', problemPages(deps.furtherProblems ?? {}));

  const routes = app
    .route('/', claimRoutes({ db, write, admission, queue, onOutcome: metrics.outcome }))
    // The live routes come first, because the routes of jobs would read `events` as a job's id.
    .route('/', liveRoutes({ feed, onCutOff: metrics.followerCut }))
    .route('/', jobRoutes({ db, write, admission }))
    .route('/', waitlistRoutes({ db, write, admission, offerMinutes }))
    .route('/', companyRoutes({ db, write }))
    .route('/', recruiterRoutes({ db, write }))
    .route('/', endpointRoutes({ db, write, loopback: webhookLoopback }))
    .route('/', deliveryRoutes({ db, write, onDueTask }))
    .route('/', taskRoutes({ db, write, onDueTask }));
  refuseOtherMethods(routes);

  answerOtherwise(app, log);
  return routes;
}

/** The type of all routes, for typed clients. */
export type App = ReturnType<typeof createApp>;

const refuseWhile =
  (isDraining: () => boolean, isAboutService: Question): Guard =>
  (c) =>
    isDraining() && !isAboutService(c)
      ? problem(shuttingDown, {}, { ...RETRY_AFTER, Connection: 'close' })
      : undefined;
