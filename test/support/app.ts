import { afterAll } from 'vitest';
import { type AppDeps, createApp } from '../../src/app.ts';
import { connect } from '../../src/db/client.ts';
import { Feed, type FeedLimits } from '../../src/live/feed.ts';
import { type Service, startService } from '../../src/service.ts';
import { makeDatabase } from './database.ts';

type Settings = Partial<Omit<AppDeps, 'db' | 'feed'>> & {
  lockTimeoutMs?: number;
  url?: string;
  feedLimits?: Partial<FeedLimits>;
};

/** The app over a database of its own, without a socket; `events` collects what it logs. */
export async function makeApp({ url, lockTimeoutMs, feedLimits, ...deps }: Settings = {}) {
  const databaseUrl = url ?? (await makeDatabase());
  const { db, close } = connect(databaseUrl, { lockTimeoutMs });
  const events: Record<string, unknown>[] = [];
  const log = (event: Record<string, unknown>) => events.push(event);
  const feed = new Feed({ db, url: databaseUrl, log, ...(feedLimits && { limits: feedLimits }) });
  afterAll(() => {
    feed.close();
    return close();
  });
  const app = createApp({ db, feed, log, ...deps });
  const claim = (jobId: unknown, recruiterId: unknown, init?: RequestInit) =>
    app.request(`/claim-job?jobId=${jobId}&recruiterId=${recruiterId}`, init);
  return { app, db, feed, claim, events, databaseUrl };
}

/** The whole service on a free port, over real sockets. */
export async function makeService(databaseUrl: string): Promise<Service> {
  const service = await startService({
    databaseUrl,
    host: '127.0.0.1',
    port: 0,
    lab: true,
    log: (event) => {
      throw new Error(`the service logged ${JSON.stringify(event)}`);
    },
  });
  afterAll(() => service.stop());
  return service;
}
