import { expect } from 'vitest';
import { press, rowOf, serveBoard } from '../support/board.ts';
import { browserTest } from '../support/browser.ts';

// test/slow/pages/board.test.ts has more tests of the board.
const { url, post, boardFor } = await serveBoard();

browserTest(
  'a claim and its release in one tab appear in a tab of another recruiter',
  async ({ open }) => {
    await post('Lighthouse Keeper');
    const [mine, theirs] = [
      await open(boardFor(1, 'lighthouse')),
      await open(boardFor(2, 'lighthouse')),
    ];
    await theirs.getByText('Live', { exact: true }).waitFor();
    await theirs.getByRole('button', { name: 'Claim Lighthouse Keeper' }).focus();
    await press(mine, 'Claim', 'Lighthouse Keeper');
    await rowOf(theirs, '1 of 4 claimed').waitFor();
    // A claim in another tab does not move the focus in this tab.
    const focused = await theirs.evaluate('document.activeElement.textContent');
    expect(focused).toBe('Claim Lighthouse Keeper');
    await rowOf(mine, '1 of 4 claimed').getByText('yours').waitFor();
    expect(await theirs.getByText('yours').count()).toBe(0);
    await press(mine, 'Release', 'Lighthouse Keeper');
    await rowOf(theirs, '0 of 4 claimed').waitFor();
    await mine.getByRole('button', { name: 'Claim Lighthouse Keeper' }).waitFor();
  },
);

browserTest(
  'a person finds a recruiter by search and claims a job, by the keyboard alone',
  async ({ open }) => {
    await post('Cartographer');
    const page = await open(`${url}/?q=cartographer`);
    await page.getByRole('button', { name: 'Claim Cartographer' }).press('Enter');
    await rowOf(page, 'Choose who you are first.').waitFor();
    await page.keyboard.type('luc jens');
    await page.getByRole('option', { name: 'Lucía Jensen' }).waitFor();
    await expect.poll(() => page.getByRole('listbox').getByRole('option').count()).toBe(1);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.title()).toBe('Lucía Jensen · Job board · Rowlock');
    expect(new URL(page.url()).searchParams.get('recruiter')).toBe('120');
    await page.getByRole('button', { name: 'Claim Cartographer' }).press('Enter');
    await page.getByText('yours').waitFor();
    const focused = () => page.evaluate('document.activeElement.textContent');
    await expect.poll(focused).toBe('Cartographer');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Release Cartographer');
    // The next tab of the same browser remembers the recruiter.
    const next = await open(`${url}/?q=cartographer`);
    await next.getByText('yours').waitFor();
    expect(new URL(next.url()).searchParams.get('recruiter')).toBe('120');
  },
);
