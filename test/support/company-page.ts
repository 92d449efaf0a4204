import type { Page } from 'playwright-core';
import postgres from 'postgres';
import { makeService } from './app.ts';
import { atEnd } from './command.ts';
import { makeDatabase } from './database.ts';

/**
 * Starts a service with a worker. Returns the functions that the tests of the company page need.
 */
export async function serveCompanies() {
  const databaseUrl = await makeDatabase();
  // The receivers of the tests are on this machine.
  const { url } = await makeService(databaseUrl, { places: 4, webhookLoopback: true });
  const sql = postgres(databaseUrl, { max: 1 });
  atEnd(() => sql.end());

  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(url + path, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: each route has an answer of its own.
    return (await answer.json()) as any;
  };

  /** Makes a company with a job. Each test uses a different company. */
  async function makeCompany(name: string) {
    const company = await call('POST', '/companies', { name });
    const role = `${name} Engineer`;
    const job = await call('POST', '/jobs', { companyId: company.id, role });
    return {
      id: company.id as number,
      job: { id: job.id as number, role },
      page: `${url}/company?company=${company.id}`,
      addEndpoint: (values: object) => call('POST', `/companies/${company.id}/endpoints`, values),
      claim: (recruiterId: number) => call('POST', `/jobs/${job.id}/claims`, { recruiterId }),
    };
  }

  return { databaseUrl, url, sql, call, makeCompany };
}

export const press = (page: Page, name: RegExp | string) =>
  page.getByRole('button', { name }).click();
