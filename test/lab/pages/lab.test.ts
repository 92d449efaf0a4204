import { expect } from 'vitest';
import { makeService } from '../../support/app.ts';
import { browserTest, expectAccessible } from '../../support/browser.ts';
import { makeDatabase } from '../../support/database.ts';

const { url } = await makeService(await makeDatabase());

// test/slow/lab/pages/lab.test.ts has the other parts of the lab. The files beside it have the
// details.
browserTest('a person oversells the strategy naive by pressing keys', async ({ open }) => {
  const page = await open(`${url}/lab?strategy=naive`);
  await page.getByRole('region', { name: 'S1' }).waitFor();
  for (const key of '121212') await page.keyboard.press(key);
  await page.locator('.headline').getByText('Oversold! 5 claims, 4 slots').waitFor();
  expect(page.url()).toBe(`${url}/lab?strategy=naive&schedule=1,2,1,2,1,2`);
  await expectAccessible(page);
});
