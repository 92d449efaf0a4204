import { expect } from 'vitest';
import { makeService } from '../../../support/app.ts';
import { browserTest, expectAccessible } from '../../../support/browser.ts';
import { makeDatabase } from '../../../support/database.ts';

const { url } = await makeService(await makeDatabase());

browserTest('the lab is one click from the board', async ({ open }) => {
  const page = await open(url);
  await page.getByRole('link', { name: 'Lab' }).click();
  await page.getByRole('heading', { name: 'The lab' }).waitFor();
  await expectAccessible(page);
});

browserTest(
  'each part of the lab has an address, and Back leads to the previous part',
  async ({ open }) => {
    const page = await open(`${url}/lab`);
    await page.getByRole('heading', { level: 2, name: 'Lessons' }).waitFor();
    const parts = page.getByRole('navigation', { name: 'Parts of the lab' });
    for (const [name, view] of [
      ['Syllabus', 'syllabus'],
      ['Explore', 'explore'],
      ['Race', 'race'],
    ] as const) {
      await parts.getByRole('link', { name }).click();
      await page.waitForURL(`${url}/lab?strategy=claims/naive&view=${view}`);
      await page.getByRole('heading', { level: 2, name }).first().waitFor();
      expect(await page.title()).toBe(`${name} · Lab · Rowlock`);
    }
    await page.goBack();
    await page.getByRole('heading', { level: 2, name: 'Explore' }).first().waitFor();
  },
);

browserTest('an exploration shows the clearest schedule that oversells', async ({ open }) => {
  const page = await open(`${url}/lab?strategy=naive&view=explore`);
  await page.getByRole('button', { name: 'Play every order' }).click();
  await page.locator('.result').getByText('Of 20 schedules, 18 oversold.').waitFor();
  await page.getByRole('status').getByText('Step 6 of 6', { exact: true }).waitFor();
  await expectAccessible(page);
});
