import { expect } from 'vitest';
import { strategies } from '../../src/lab/chapters/claims/strategies/index.ts';
import { makeService } from '../support/app.ts';
import { browserTest, expectAccessible } from '../support/browser.ts';
import { makeDatabase } from '../support/database.ts';

const { url } = await makeService(await makeDatabase());
const at = (strategy: string) => `${url}/lab?strategy=${strategy}&view=syllabus`;

browserTest('every strategy is listed with its verdict, in order', async ({ open }) => {
  const page = await open(at('naive'));
  const list = page.getByRole('region', { name: 'claims', exact: true });
  await list.getByRole('link').first().waitFor();
  const names = await list.locator('.name').allInnerTexts();
  expect(names).toEqual(strategies.map(({ name }) => name));
  await list.getByRole('link', { name: 'naive oversells' }).waitFor();
  await list.getByRole('link', { name: 'insert-then-lock deadlocks' }).waitFor();
  await list.getByRole('link', { name: 'row-lock holds' }).click();
  await page.waitForURL(at('claims/row-lock'));
  await page.getByRole('heading', { name: 'row-lock' }).waitFor();
  expect(await list.locator('[aria-current]').innerText()).toContain('row-lock');
  await page.goBack();
  await page.getByRole('heading', { name: 'naive' }).waitFor();
});

browserTest('the list scrolls to the strategy of another chapter', async ({ open }) => {
  for (const width of [1280, 360]) {
    const page = await open(at('retries/none'), { width });
    await page.waitForFunction(`(() => {
      const box = document.querySelector('.strategies')?.getBoundingClientRect();
      const link = document.querySelector('.strategies [aria-current]');
      const { top, bottom } = link?.getBoundingClientRect() ?? {};
      return box !== undefined && top >= box.top && bottom <= box.bottom;
    })()`);
  }
});

browserTest('the source is highlighted, and the decisive statement is marked', async ({ open }) => {
  const page = await open(at('naive'));
  await page.getByText('the decisive statement is marked, at line 15').waitFor();
  expect(await page.locator('mark').allInnerTexts()).toEqual([
    '    const decision = await countClaims(db, request);',
  ]);
  const colourOf = (kind: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('.source ${kind}')).color`);
  const kinds = ['.line', '.token-keyword', '.token-string', '.token-type', '.token-comment'];
  const colours = await Promise.all(kinds.map(colourOf));
  expect(new Set(colours).size).toBe(5);
  const list = page.getByRole('region', { name: 'claims', exact: true });
  await list.getByRole('link', { name: /^production/ }).click();
  const lock = page.getByRole('region', { name: 'src/claims/slots.ts' });
  await lock.getByText("'update'").waitFor();
  expect((await lock.locator('mark').allInnerTexts()).join('\n')).toContain(".for('update'");
});

browserTest('a fault can be played after one click', async ({ open }) => {
  const page = await open(at('one-statement'));
  const row = page.getByRole('row', { name: /^one slot is left Of 14 schedules, 6 oversold/ });
  await row.getByRole('link').click();
  await page.locator('.headline').getByText('Oversold!').waitFor();
  expect(page.url()).toMatch(/strategy=one-statement&schedule=[12,]+$/);
});

for (const colorScheme of ['light', 'dark'] as const)
  browserTest(`it is accessible, ${colorScheme}, wide and narrow`, async ({ open }) => {
    for (const width of [1280, 360]) {
      const page = await open(at('fenced-lease'), { colorScheme, width });
      await page.getByText('the decisive statement is marked').waitFor();
      await expectAccessible(page);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
        width,
      );
    }
  });

browserTest('the page says that a strategy is unknown', async ({ open }) => {
  const page = await open(at('hope'));
  await page.getByRole('alert').getByText('There is no strategy hope.').waitFor();
});
