import type { Page } from 'playwright-core';
import postgres from 'postgres';
import { makeService } from './app.ts';
import { atEnd } from './command.ts';
import { makeDatabase } from './database.ts';

/** Starts a service, and returns the functions that the tests of the board need. */
export async function serveBoard() {
  const databaseUrl = await makeDatabase();
  const { url } = await makeService(databaseUrl);
  const sql = postgres(databaseUrl, { max: 1 });
  atEnd(() => sql.end());

  const call = (method: string, path: string, body: unknown) =>
    fetch(url + path, {
      method,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  /** Makes a job. Each test uses a different job. */
  async function post(role: string): Promise<number> {
    const answer = await call('POST', '/jobs', { companyId: 1, role });
    return ((await answer.json()) as { id: number }).id;
  }
  const claim = (jobId: number, recruiterId: number, leaseSeconds?: number) =>
    call('POST', `/jobs/${jobId}/claims`, { recruiterId, leaseSeconds });
  const boardFor = (recruiterId: number, q: string) => `${url}/?recruiter=${recruiterId}&q=${q}`;

  return { url, sql, post, claim, boardFor };
}

export const rowOf = (page: Page, text: string | RegExp) =>
  page.getByRole('listitem').filter({ hasText: text });

export const press = (page: Page, act: string, role: string) =>
  page.getByRole('button', { name: `${act} ${role}` }).click();
