import { expect, test } from 'vitest';
import { labMeanings } from '../../../../src/lab/problems.ts';
import { problemCodes } from '../../../../src/service/http/problem-list.ts';
import { makeApp } from '../../../support/app.ts';

const { app } = await makeApp({ furtherProblems: labMeanings });

test('the type of a problem is the address of a page about the problem', async () => {
  const answer = await app.request('/jobs/999999999');
  const { type } = (await answer.json()) as { type: string };
  const page = await app.request(type);
  expect(page.status).toBe(200);
  expect(page.headers.get('Content-Type')).toMatch('text/html');
  const text = await page.text();
  expect(text).toContain('<dd>There is no job with this id.</dd>');
  expect(text).toContain('<code>GET /jobs</code> lists the jobs.');
});

test('every code has a page, and the list has a link to the page', async () => {
  const list = await (await app.request('/problems')).text();
  for (const code of [...problemCodes, ...Object.keys(labMeanings)]) {
    expect((await app.request(`/problems/${code}`)).status, code).toBe(200);
    expect(list).toContain(`href="./problems/${code}"`);
  }
});

test.each(['constructor', '__proto__', '%3Cscript%3E', 'nope'])(
  'there is no page about %s',
  async (code) => {
    expect((await app.request(`/problems/${code}`)).status).toBe(404);
  },
);
