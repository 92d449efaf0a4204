import { makeService } from '../support/app.ts';
import { browserTest, expectAccessible } from '../support/browser.ts';
import { makeDatabase } from '../support/database.ts';

const { url } = await makeService(await makeDatabase());

browserTest('the lab is one click from the board', async ({ open }) => {
  const page = await open(url);
  await page.getByRole('link', { name: 'Lab' }).click();
  await page.getByRole('heading', { name: 'The lab' }).waitFor();
  await expectAccessible(page);
});
