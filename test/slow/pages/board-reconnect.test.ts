import { expect } from 'vitest';
import type { ServiceOptions } from '../../../src/service/program/service.ts';
import type { Wings } from '../../support/app.ts';
import { browserTest, expectAccessible } from '../../support/browser.ts';
import { makeDatabase } from '../../support/database.ts';
import { makeProxy } from '../../support/proxy.ts';
import { serve as serveTabs } from '../../support/tabs.ts';
import { as, WITH_SECRET } from '../../support/tokens.ts';

const databaseUrl = await makeDatabase();

const serve = (options: Partial<ServiceOptions> & Wings = {}) =>
  serveTabs({ databaseUrl, ...options });

browserTest(
  'a tab says that its server is gone, and shows everything again once the server is back',
  async ({ open }) => {
    const first = await serve();
    const other = await serve();
    const page = await open(`${first.url}/?recruiter=1&q=drones`);
    await page.getByText('Live', { exact: true }).waitFor();
    await first.stop();
    await page.getByText('Reconnecting…').waitFor();
    await fetch(`${other.url}/claim-job?jobId=17&recruiterId=1`);
    await serve({ port: first.port });
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('1 of 4 claimed').waitFor();
    await page.getByText('yours').waitFor();
  },
);

browserTest('the page repeats a claim until the server is back', async ({ open }) => {
  const first = await serve();
  const page = await open(`${first.url}/?recruiter=2&q=drones`);
  await page.getByText('Live', { exact: true }).waitFor();
  await first.stop();
  await page.getByRole('button', { name: 'Claim' }).click();
  await page.getByText('Asking again…').waitFor();
  await serve({ port: first.port });
  await page.getByText('yours').waitFor();
});

browserTest(
  'if the service needs tokens, the board asks for a token and claims for its recruiter',
  async ({ open }) => {
    const { url } = await serve({ auth: WITH_SECRET });
    const page = await open(`${url}/?q=drones`);
    await page.getByRole('heading', { name: 'Who is there?' }).waitFor();
    await expectAccessible(page);
    await page.getByLabel('Token').fill('not a token');
    await page.getByRole('button', { name: 'Show the jobs' }).click();
    await page.getByText('does not accept this token').waitFor();
    await page.getByLabel('Token').fill('eyJhbGciOi…');
    await Promise.all([
      page.waitForResponse(
        (answer) =>
          answer.status() === 401 &&
          answer.request().headers().authorization === 'Bearer eyJhbGciOi?',
      ),
      page.getByRole('button', { name: 'Show the jobs' }).click(),
    ]);
    await page.getByText('does not accept this token').waitFor();
    const { Authorization } = await as('recruiter', '3');
    await page.getByLabel('Token').fill(Authorization.replace('Bearer ', ''));
    await page.getByRole('button', { name: 'Show the jobs' }).click();
    await page.getByText('Amara Castillo').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Claim' }).click();
    await page.getByText('yours').waitFor();
    // The next tab must not know the token, since everybody with the token can use its rights.
    const next = await open(`${url}/?q=drones`);
    await next.getByRole('heading', { name: 'Who is there?' }).waitFor();
    expect(await next.getByRole('listitem').count()).toBe(0);
  },
);

browserTest('a page that renders its frames late shows one board, not two', async ({ open }) => {
  const { url } = await serve({ auth: WITH_SECRET });
  const page = await open(`${url}/docs`);
  await page.addInitScript('frames = []; requestAnimationFrame = (work) => frames.push(work);');
  const show = async (token: string) => {
    // Runs the waiting frames. These frames remove the board of the previous token from the page.
    await page.evaluate('frames.splice(0).forEach((work) => work(performance.now()))');
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Show the jobs' }).click();
  };
  await page.goto(`${url}/?q=drones`);
  await page.getByRole('heading', { name: 'Who is there?' }).waitFor();
  await show('not a token');
  await page.getByText('does not accept this token').waitFor();
  const { Authorization } = await as('recruiter', '3');
  await show(Authorization.replace('Bearer ', ''));
  await page.getByText('Live', { exact: true }).first().waitFor();
  expect(await page.getByRole('heading', { level: 1 }).allInnerTexts()).toEqual(['Jobs']);
});

browserTest('the pages work behind a proxy that adds a path', async ({ open }) => {
  const { url } = await serve({ lab: true });
  const proxy = await makeProxy((path) =>
    path.startsWith('/board') ? url + path.replace('/board', '') : undefined,
  );
  const page = await open(`${proxy}/board/?recruiter=4&q=drones`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Claim' }).click();
  await page.getByText('yours').waitFor();
  await page.getByRole('link', { name: 'Lab' }).click();
  await page.getByRole('heading', { level: 1, name: 'The lab' }).waitFor();
  await page.getByRole('link', { name: 'Job board' }).click();
  await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/board/');
});
