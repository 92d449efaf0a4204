import { expect } from 'vitest';
import { makeService } from '../../../support/app.ts';
import { browserTest, expectAccessible } from '../../../support/browser.ts';
import { makeDatabase } from '../../../support/database.ts';

const { url } = await makeService(await makeDatabase());

browserTest('the syllabus says why a strategy cannot run on this server', async ({ open }) => {
  const page = await open(`${url}/lab?strategy=retries/set-nx&view=syllabus`);
  await page.getByRole('note').filter({ hasText: 'This server cannot run it.' }).waitFor();
  expect(await page.getByRole('note').innerText()).toContain('There is no Redis here');
  expect(await page.getByRole('link', { name: 'Play it' }).count()).toBe(0);
  await expectAccessible(page);
});

browserTest('Play and Race offer only strategies that can run on this server', async ({ open }) => {
  for (const view of ['play', 'race']) {
    const page = await open(`${url}/lab?strategy=retries/none&view=${view}`);
    const strategy = page.getByRole('combobox', { name: 'Strategy' });
    await strategy.waitFor();
    const offered = await strategy.locator('option').allInnerTexts();
    expect(offered).toContain('provider-key');
    expect(offered).not.toContain('set-nx');
  }
});
