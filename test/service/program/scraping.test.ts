import { request } from 'node:http';
import { expect, test } from 'vitest';
import { version } from '../../../src/platform/process/project.ts';
import { makeService } from '../../support/app.ts';
import { makeDatabase } from '../../support/database.ts';
import { as, bearer, WITH_SECRET } from '../../support/tokens.ts';

const TOKEN = 'the-token-of-the-scraper';

test('METRICS_TOKEN opens the metrics and no other path, and METRICS_PORT serves only the metrics', async () => {
  const { url, metricsUrl } = await makeService(await makeDatabase(), {
    lab: false,
    auth: WITH_SECRET,
    scraping: { token: TOKEN, port: 0, host: '127.0.0.1' },
  });
  const ask = async (path: string, headers = {}, method = 'GET') =>
    (await fetch(`${url}${path}`, { headers, method })).status;

  expect(await ask('/metrics')).toBe(401);
  expect(await ask('/metrics', bearer(`${TOKEN}x`))).toBe(401);
  expect(await ask('/metrics', bearer(TOKEN))).toBe(200);
  expect(await ask('/metrics', bearer(TOKEN), 'HEAD')).toBe(200);
  expect(await ask('/metrics', bearer(TOKEN), 'POST')).toBe(401);
  expect(await ask('/metrics', await as('admin', 'ada'))).toBe(200);
  expect(await ask('/metrics', await as('company', '1'))).toBe(403);
  for (const path of ['/jobs', '/tasks', '/workers', '/metrics/', '/metrics/x'])
    expect(await ask(path, bearer(TOKEN)), path).toBe(401);

  const scraped = await fetch(`${metricsUrl}/metrics`);
  expect([scraped.status, await scraped.text()]).toEqual([
    200,
    expect.stringMatching(/^rowlock_ready 1$/m),
  ]);
  for (const path of ['/', '/jobs', '/healthz', '/tasks'])
    expect((await fetch(`${metricsUrl}${path}`)).status, path).toBe(404);
  expect(await statusFor(`${metricsUrl}/metrics`, 'metrics.attacker.example')).toBe(403);
});

/**
 * Returns the status of a request with this `Host`. A page of another site may reach the port by a
 * name of its site. We do not use `fetch`, because `fetch` cannot set `Host`.
 */
const statusFor = (url: string, host: string) =>
  new Promise((resolve, reject) => {
    const asking = request(url, { headers: { Host: host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asking.on('error', reject).end();
  });

test('/healthz names the version', async () => {
  const { url } = await makeService(await makeDatabase(), { lab: false });
  expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok', version });
});
