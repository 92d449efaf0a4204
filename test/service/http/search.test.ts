import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { afterAll, describe, expect, test } from 'vitest';
import { searchText } from '../../../src/service/http/search.ts';
import { makeApp } from '../../support/app.ts';
import { untilWaitedFor } from '../../support/locks.ts';

const { db, call, databaseUrl } = await makeApp();

const search = async (q: string, more = '') => {
  const { status, body } = await call('GET', `/jobs?limit=100&q=${encodeURIComponent(q)}${more}`);
  expect(status).toBe(200);
  return body.jobs.map((job: { role: string }) => job.role);
};
const post = async (role: string, companyId = 1) =>
  (await call('POST', '/jobs', { companyId, role })).body.id as number;

test('a search finds jobs by the beginnings of words in the role and the company name, in any order', async () => {
  expect(await search('security')).toEqual(['Security Engineer']);
  expect(await search('  ENG drones ')).toEqual(['Controls Engineer, Drones']);
  expect(await search('kestrel test')).toEqual(['Test Automation Engineer']);
  expect(await search('pine')).toHaveLength(3);
  expect(await search('harbour kestrel')).toEqual([]);
  expect(await search('ineer')).toEqual([]);
});

test('in a search, punctuation and operators only separate words', async () => {
  await post('CI/CD & Node.js, C++ (Küste)');
  await post("Quote ' colon: \\ and * | & !");
  for (const q of ['cd', 'js', 'node.js', 'C++', 'ci/cd', 'küs', 'Node.JS/ci'])
    expect(await search(q), q).toContain('CI/CD & Node.js, C++ (Küste)');
  for (const q of ["quote'", ':*colon', 'and & !', "' | 'colon"])
    expect(await search(q), q).toContain("Quote ' colon: \\ and * | & !");
});

test('a search treats large and small letters as equal, in any alphabet', async () => {
  await post('Ärztin in Éclair, ЖУРНАЛ');
  for (const q of ['ärztin', 'ÄRZTIN', 'écl', 'ÉCLAIR', 'журнал'])
    expect(await search(q), q).toContain('Ärztin in Éclair, ЖУРНАЛ');
});

test('a search drops each word that is the beginning of another word', () => {
  expect(searchText.parse('e E en Engineer eng e Gardener')).toEqual(['Engineer', 'Gardener']);
  expect(searchText.parse('e e e E')).toEqual(['e']);
});

test('after a job or a company has changed, or a job was removed, a search finds only the new words', async () => {
  const id = await post('Gardener', 2);
  expect(await search('gardener fernway')).toEqual(['Gardener']);
  await call('PATCH', `/jobs/${id}`, { role: 'Florist' });
  expect(await search('gardener')).toEqual([]);
  expect(await search('florist fernway')).toEqual(['Florist']);
  await db.execute(sql`UPDATE companies SET name = 'Yarrow Clinics' WHERE id = 2`);
  expect(await search('florist fernway')).toEqual([]);
  expect(await search('florist yarrow')).toEqual(['Florist']);
  await db.execute(sql`DELETE FROM jobs WHERE id = ${id}`);
  expect(await search('florist')).toEqual([]);
  const rows = await db.execute(sql`SELECT count(*)::int AS words,
    (SELECT count(*)::int FROM jobs) AS jobs FROM job_words`);
  expect(rows[0]?.words).toBe(rows[0]?.jobs);
});

describe('while a company is renamed', () => {
  const sessions = postgres(databaseUrl, { max: 2 });
  afterAll(() => sessions.end());
  const pid = async (tx: postgres.TransactionSql) =>
    (await tx`SELECT pg_backend_pid() AS pid`)[0]?.pid;

  test('a job that is posted or gets a new role can then be found by its role and the new company name', async () => {
    const id = await post('Plasterer', 3);
    const { done } = await sessions.begin(async (tx) => {
      await tx`UPDATE companies SET name = 'Zephyr Works' WHERE id = 3`;
      const posted = post('Glazier', 3);
      await untilWaitedFor(await pid(tx), sessions);
      const changed = call('PATCH', `/jobs/${id}`, { role: 'Roofer' });
      await untilWaitedFor(await pid(tx), sessions, 2);
      return { done: Promise.all([posted, changed]) };
    });
    await done;
    for (const role of ['Glazier', 'Roofer'])
      expect(await search(`${role} zephyr`)).toEqual([role]);
  });

  test('the renaming waits for a transaction that changes the role of a job', async () => {
    const id = await post('Thatcher', 4);
    const { renamed } = await sessions.begin(async (tx) => {
      await tx`UPDATE jobs SET role = 'Tiler' WHERE id = ${id}`;
      const renaming = sql`UPDATE companies SET name = 'Quill Press' WHERE id = 4`;
      const renamed = Promise.resolve(db.execute(renaming));
      await untilWaitedFor(await pid(tx), sessions);
      return { renamed };
    });
    await renamed;
    expect(await search('tiler quill')).toEqual(['Tiler']);
    expect(await search('thatcher')).toEqual([]);
  });
});

test('a search can be combined with the other filters, and its results come in pages', async () => {
  expect(await search('engineer', '&companyId=5')).toHaveLength(4);
  const full = await post('Harbourmaster');
  await post('Harbourmaster');
  for (const recruiterId of [1, 2, 3, 4])
    await call('POST', `/jobs/${full}/claims`, { recruiterId });
  expect(await search('harbourm', '&status=full')).toHaveLength(1);
  expect(await search('harbourm', '&status=open')).toHaveLength(1);
  const page = await call('GET', '/jobs?q=harbourm&limit=1');
  expect(page.body).toMatchObject({ jobs: [{ id: full }], nextCursor: String(full) });
});

test('a search finds recruiters and companies by their names', async () => {
  const names = async (path: string) => {
    const { body } = await call('GET', path);
    return (body.recruiters ?? body.companies).map(({ name }: { name: string }) => name);
  };
  expect(await names('/recruiters?q=luc+jen')).toEqual(['Lucía Jensen']);
  expect(await names('/recruiters?q=nobody')).toEqual([]);
  expect(await names('/companies?q=bank')).toEqual(['Brightwater Bank']);
});

test.each([
  ['q=', 'has no letter'],
  ['q=%20++', 'has no letter'],
  [`q=${'a'.repeat(101)}`, 'at most 100'],
  ['q=a&q=b', 'more than once'],
])('the query %s is answered 400: %s', async (query, detail) => {
  for (const path of ['/jobs', '/recruiters', '/companies']) {
    const answer = await call('GET', `${path}?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid-request' } });
    expect(answer.body.detail).toContain(detail);
  }
});

test('the claims of a recruiter can be filtered by job ids', async () => {
  for (const job of [3, 4, 5]) await call('POST', `/jobs/${job}/claims`, { recruiterId: 9 });
  const held = async (query: string) =>
    (await call('GET', `/recruiters/9/claims?${query}`)).body.claims.map(
      (claim: { jobId: number }) => claim.jobId,
    );
  expect(await held('')).toEqual([3, 4, 5]);
  expect(await held('jobId=4')).toEqual([4]);
  expect(await held('jobId=5&jobId=3&jobId=9')).toEqual([3, 5]);
  expect((await call('GET', '/recruiters/9/claims?jobId=x')).status).toBe(400);
});
