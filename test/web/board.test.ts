import { expect } from 'vitest';
import { makeService } from '../support/app.ts';
import { browserTest, expectAccessible } from '../support/browser.ts';
import { makeDatabase } from '../support/database.ts';

const { url } = await makeService(await makeDatabase());

browserTest('the board lists the jobs', async ({ open }) => {
  const page = await open(url);
  expect(await page.getByRole('listitem').first().textContent()).toContain('Harbour');
  expect(await page.title()).toBe('Job board · Rowlock');
});

browserTest.for(['light', 'dark'] as const)(
  'the board can be read by all, %s',
  async (colorScheme, { open }) => {
    const page = await open(url, { colorScheme });
    await page.getByRole('listitem').first().waitFor();
    await expectAccessible(page);
  },
);
