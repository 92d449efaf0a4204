import { expect } from 'vitest';
import { makeService } from '../support/app.ts';
import { browserTest, expectAccessible } from '../support/browser.ts';
import { makeDatabase } from '../support/database.ts';

const { url } = await makeService(await makeDatabase());

// test/slow/web/lab.test.ts has the other parts, and test/slow/web/lab-*.test.ts has their details.
browserTest('a person oversells naive with keys', async ({ open }) => {
  const page = await open(`${url}/lab?strategy=naive`);
  await page.getByRole('region', { name: 'S1' }).waitFor();
  for (const key of '121212') await page.keyboard.press(key);
  await page.locator('.headline').getByText('Oversold! 5 claims, 4 slots').waitFor();
  expect(page.url()).toBe(`${url}/lab?strategy=naive&schedule=1,2,1,2,1,2`);
  await expectAccessible(page);
});
