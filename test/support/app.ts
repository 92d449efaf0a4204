import { createLab } from '../../src/lab/http.ts';
import { type LabOptions, labMount } from '../../src/lab/mount.ts';
import { openStages } from '../../src/lab/stages/lab-stages.ts';
import { pagesMount } from '../../src/pages/http.ts';
import { connect, type Pooler } from '../../src/platform/db/client.ts';
import type { Log, LogEvent } from '../../src/platform/process/log.ts';
import { Feed } from '../../src/service/live/feed.ts';
import type { FeedLimits } from '../../src/service/live/limits.ts';
import { type AppDeps, createApp } from '../../src/service/program/app.ts';
import {
  type Service,
  type ServiceOptions,
  startService,
} from '../../src/service/program/service.ts';
import { atEnd } from './command.ts';
import { makeDatabase } from './database.ts';
import { documented } from './documented.ts';

type Settings = Partial<Omit<AppDeps, 'db' | 'feed'>> & {
  lockTimeoutMs?: number;
  answerTimeoutMs?: number;
  url?: string;
  pooler?: Pooler;
  feedLimits?: Partial<FeedLimits>;
};

/**
 * Makes a log that keeps its lines: `events` has the error lines, `requests` the info lines, and
 * `details` the debug lines.
 */
export function collectLog() {
  const events: LogEvent[] = [];
  const requests: LogEvent[] = [];
  const details: LogEvent[] = [];
  const log: Log = {
    debug: (event) => void details.push(event),
    info: (event) => void requests.push(event),
    error: (event) => void events.push(event),
  };
  return { log, events, requests, details };
}

/**
 * Makes the app on a new database, or on the database at `url`. Requests go through `app.request`,
 * not through a socket. Each answer is checked against the OpenAPI document. `events` collects the
 * errors in the log.
 */
export async function makeApp({
  url,
  pooler,
  lockTimeoutMs,
  answerTimeoutMs,
  feedLimits,
  ...deps
}: Settings = {}) {
  const databaseUrl = url ?? (await makeDatabase());
  const { db, first, close } = connect(databaseUrl, {
    pooler,
    lockTimeoutMs,
    answerTimeoutMs,
    observe: (statement) => feed.observe(statement),
  });
  const { log, events, requests, details } = collectLog();
  const feed = new Feed({ db, log, ...(feedLimits && { limits: feedLimits }) });
  atEnd(() => {
    feed.close();
    return close();
  });
  // The receivers of the tests are on this machine.
  const usual = { claimsDb: first, webhookLoopback: true };
  const app = documented(createApp({ db, feed, log, ...usual, ...deps }));
  const claim = (jobId: unknown, recruiterId: unknown, init?: RequestInit) =>
    app.request(`/claim-job?jobId=${jobId}&recruiterId=${recruiterId}`, init);
  /** Sends a request, with `body` as JSON if there is one. Returns the answer. */
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const init: RequestInit = {
      method,
      headers: body === undefined ? headers : { ...JSON_BODY, ...headers },
    };
    if (body !== undefined) init.body = JSON.stringify(body);
    const response = await app.request(path, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  };
  return { app, db, feed, claim, call, events, requests, details, databaseUrl };
}

/** Makes the lab. Its stages are new databases on the PostgreSQL server of the app's database. */
export function makeLab({ databaseUrl }: { databaseUrl: string }, log = collectLog().log) {
  const stages = openStages(databaseUrl, log);
  atEnd(() => stages.close());
  return createLab({ log, stages, stop: new AbortController().signal });
}

const JSON_BODY = { 'Content-Type': 'application/json' };

export interface Wings extends Pick<LabOptions, 'own'> {
  lab?: boolean;
}

/** Returns the mounts of the pages, and of the lab if the service is in workshop mode. */
export const mountsOf = ({ lab = false, own }: Wings) => [
  pagesMount({ lab }),
  ...(lab ? [labMount({ own })] : []),
];

/** Starts the whole service on a free port, with real sockets. The service must log no error. */
export async function makeService(
  databaseUrl: string,
  { lab = true, own, ...options }: Partial<ServiceOptions> & Wings = {},
): Promise<Service> {
  const service = await startService({
    databaseUrl,
    host: '127.0.0.1',
    port: 0,
    mounts: mountsOf({ lab, own }),
    webhookLoopback: true,
    log: {
      debug: () => undefined,
      info: () => undefined,
      error: (event) => {
        throw new Error(`the service logged ${JSON.stringify(event)}`);
      },
    },
    ...options,
  });
  atEnd(() => service.stop());
  return service;
}
