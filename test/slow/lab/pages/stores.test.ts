import { afterAll, expect } from 'vitest';
import { makeService } from '../../support/app.ts';
import { browserTest, expectAccessible } from '../../support/browser.ts';
import { makeDatabase } from '../../support/database.ts';

// Other test files of this process need Redis, so we put the setting back.
const before = process.env.REDIS_SERVER_PATH;
process.env.REDIS_SERVER_PATH = '/nowhere/redis-server';
afterAll(() => {
  if (before === undefined) delete process.env.REDIS_SERVER_PATH;
  else process.env.REDIS_SERVER_PATH = before;
});
const { url } = await makeService(await makeDatabase());

browserTest('the syllabus says why a strategy cannot run here', async ({ open }) => {
  const page = await open(`${url}/lab?strategy=retries/set-nx&view=syllabus`);
  await page.getByRole('note').filter({ hasText: 'This server cannot run it.' }).waitFor();
  expect(await page.getByRole('note').innerText()).toContain('There is no Redis here');
  expect(await page.getByRole('link', { name: 'Play it' }).count()).toBe(0);
  await expectAccessible(page);
});

browserTest('Play and Race offer only strategies that can run here', async ({ open }) => {
  for (const view of ['play', 'race']) {
    const page = await open(`${url}/lab?strategy=retries/none&view=${view}`);
    const strategy = page.getByRole('combobox', { name: 'Strategy' });
    await strategy.waitFor();
    const offered = await strategy.locator('option').allInnerTexts();
    expect(offered).toContain('provider-key');
    expect(offered).not.toContain('set-nx');
  }
});
