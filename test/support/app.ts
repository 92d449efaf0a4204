import { afterAll } from 'vitest';
import { type AppDeps, createApp } from '../../src/app.ts';
import { connect } from '../../src/db/client.ts';
import { type Service, startService } from '../../src/service.ts';
import { makeDatabase } from './database.ts';

type Settings = Partial<Omit<AppDeps, 'db'>> & { lockTimeoutMs?: number; url?: string };

/** The app over a database of its own, without a socket; `events` collects what it logs. */
export async function makeApp({ url, lockTimeoutMs, ...deps }: Settings = {}) {
  const databaseUrl = url ?? (await makeDatabase());
  const { db, close } = connect(databaseUrl, { lockTimeoutMs });
  afterAll(close);
  const events: Record<string, unknown>[] = [];
  const app = createApp({ db, log: (event) => events.push(event), ...deps });
  const claim = (jobId: unknown, recruiterId: unknown, init?: RequestInit) =>
    app.request(`/claim-job?jobId=${jobId}&recruiterId=${recruiterId}`, init);
  /** A request with a JSON body, if any, and its answer. */
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
  return { app, db, claim, call, events, databaseUrl };
}

const JSON_BODY = { 'Content-Type': 'application/json' };

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
