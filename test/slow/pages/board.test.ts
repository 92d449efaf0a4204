import { expect } from 'vitest';
import { press, rowOf, serveBoard } from '../../support/board.ts';
import { browserTest, expectAccessible } from '../../support/browser.ts';

const { url, sql, post, claim, boardFor } = await serveBoard();

browserTest(
  'the board lists the jobs with their slots, and says that the list is live',
  async ({ open }) => {
    const page = await open(url);
    await page.getByText('Live', { exact: true }).waitFor();
    const row = rowOf(page, 'Controls Engineer, Drones');
    expect(await row.textContent()).toContain('Kestrel Robotics');
    expect(await row.textContent()).toContain('0 of 4 claimed');
    expect(await row.locator('.dot').count()).toBe(4);
    expect(await page.title()).toBe('Job board · Rowlock');
  },
);

browserTest('Enter chooses the recruiter whose name was typed fast', async ({ open }) => {
  const page = await open(boardFor(1, 'drones'));
  const field = page.getByLabel('You are');
  await expect.poll(() => field.inputValue()).not.toBe('');
  const name = await field.inputValue();
  await field.focus();
  expect(await field.inputValue()).toBe(name);
  await field.click();
  await page.getByRole('option').first().waitFor();
  await page.keyboard.type('luc jens');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.title()).toBe('Lucía Jensen · Job board · Rowlock');
  expect(new URL(page.url()).searchParams.get('recruiter')).toBe('120');
});

browserTest('the fifth of five recruiters in five tabs reads a refusal', async ({ open }) => {
  await post('Ferry Pilot');
  for (const recruiterId of [1, 2, 3, 4]) {
    const page = await open(boardFor(recruiterId, 'ferry'));
    await press(page, 'Claim', 'Ferry Pilot');
    await page.getByText('yours').waitFor();
  }
  const fifth = await open(boardFor(5, 'ferry'));
  await rowOf(fifth, '4 of 4 claimed').waitFor();
  await press(fifth, 'Claim', 'Ferry Pilot');
  const refusal = 'Too late: all 4 slots were claimed when you asked.';
  await rowOf(fifth, refusal).waitFor();
  await fifth
    .getByRole('status')
    .filter({ hasText: `Ferry Pilot: ${refusal}` })
    .waitFor();
  expect(await fifth.getByText('yours').count()).toBe(0);
});

browserTest(
  'a lease counts down, can be renewed, and ends when the service reports its end',
  async ({ open }) => {
    const id = await post('Beekeeper');
    const page = await open(boardFor(6, 'beekeeper'));
    await page.getByLabel('Claims last').selectOption('1 minute');
    await press(page, 'Claim', 'Beekeeper');
    await page.getByText(/yours, ends in (0:5\d|1:00)/).waitFor();
    await page.getByLabel('Claims last').selectOption('1 hour');
    await press(page, 'Renew', 'Beekeeper');
    await page.getByText(/yours, ends in (59:5\d|1:00:00)/).waitFor();
    await press(page, 'Release', 'Beekeeper');
    await page.getByRole('button', { name: 'Claim Beekeeper' }).waitFor();
    await claim(id, 6, 2);
    await page.getByText('yours, ends in 0:0').waitFor();
    await page.getByRole('button', { name: 'Claim Beekeeper' }).waitFor();
    await rowOf(page, '0 of 4 claimed').waitFor();
  },
);

browserTest('the page repeats a claim to a busy service with the same key', async ({ open }) => {
  const id = await post('Night Watch');
  const page = await open(boardFor(7, 'night'));
  await page.getByText('Live', { exact: true }).waitFor();
  const keys: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') keys.push(request.headers()['idempotency-key']);
  });
  await sql.begin(async (tx) => {
    await tx`SELECT 1 FROM jobs WHERE id = ${id} FOR UPDATE`;
    await press(page, 'Claim', 'Night Watch');
    await rowOf(page, 'The service is busy or silent. Asking again…').waitFor();
  });
  await page.getByText('yours').waitFor();
  expect(keys.length).toBeGreaterThan(1);
  expect(new Set(keys).size).toBe(1);
  await rowOf(page, '1 of 4 claimed').waitFor();
});

browserTest('a deleted job disappears from the board', async ({ open }) => {
  const id = await post('Clockmaker');
  const page = await open(boardFor(1, 'clockmaker'));
  await page.getByText('Live', { exact: true }).waitFor();
  await sql`DELETE FROM jobs WHERE id = ${id}`;
  await page.getByText('There is no job with “clockmaker”.').waitFor();
  await page.getByRole('button', { name: 'Show all jobs' }).click();
  await rowOf(page, 'Furniture Designer').waitFor();
});

browserTest.for(['light', 'dark'] as const)(
  'the board is accessible in the colour scheme %s',
  async (colorScheme, { open }) => {
    const role = `Surveyor ${colorScheme}`;
    const id = await post(role);
    await claim(id, 8, 900);
    const full = await post(role);
    for (const recruiterId of [1, 2, 3, 4]) await claim(full, recruiterId);
    const page = await open(boardFor(8, role), { colorScheme, width: 360 });
    await page.getByText('yours').waitFor();
    await page.getByRole('button', { name: `Claim ${role}` }).click();
    await page.getByText('Too late').first().waitFor();
    await page.getByLabel('You are').click();
    await page.getByRole('option').first().waitFor();
    await expectAccessible(page);
    const isTooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
    expect(await page.evaluate(isTooWide)).toBe(false);
  },
);
