import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { press, rowOf, serveBoard } from '../../support/board.ts';
import { browserTest, expectAccessible, focused } from '../../support/browser.ts';

const { url, sql, post, claim, boardFor } = await serveBoard();

/** Makes a job, and the recruiters 1 to 4 claim it. */
async function postFull(role: string): Promise<number> {
  const id = await post(role);
  for (const recruiterId of [1, 2, 3, 4]) await claim(id, recruiterId);
  return id;
}

/** Waits until the button is there, and no request is under way. */
const isIdle = (page: Page, button: string) =>
  page.locator('button:not([aria-disabled])', { hasText: button }).waitFor();

browserTest(
  'a recruiter waits in line, sees the place, gets the slot of another recruiter, and accepts',
  async ({ open }) => {
    await postFull('Diver');
    const holder = await open(boardFor(1, 'diver'));
    const first = await open(boardFor(5, 'diver'));
    const second = await open(boardFor(6, 'diver'));
    await press(first, 'Line up', 'Diver');
    await rowOf(first, 'next in line').waitFor();
    await press(second, 'Line up', 'Diver');
    await rowOf(second, '2nd in line').waitFor();
    await press(holder, 'Release', 'Diver');
    await first.getByText(/offered, ends in 1[45]:\d\d/).waitFor();
    await rowOf(second, 'next in line').waitFor();
    await expectAccessible(first);
    await press(first, 'Accept', 'Diver');
    await first.getByText('yours', { exact: true }).waitFor();
    await first.getByRole('button', { name: 'Release Diver' }).waitFor();
    await rowOf(holder, '4 of 4 claimed').waitFor();
  },
);

browserTest('a declined offer goes to the next in line', async ({ open }) => {
  await postFull('Tailor');
  const holder = await open(boardFor(1, 'tailor'));
  const first = await open(boardFor(5, 'tailor'));
  const second = await open(boardFor(6, 'tailor'));
  await press(first, 'Line up', 'Tailor');
  await rowOf(first, 'next in line').waitFor();
  await press(second, 'Line up', 'Tailor');
  await rowOf(second, '2nd in line').waitFor();
  await press(holder, 'Release', 'Tailor');
  await press(first, 'Decline', 'Tailor');
  await rowOf(first, /Declining the offer in \d s/).waitFor();
  await second.getByText(/offered, ends in/).waitFor();
  await first.getByRole('button', { name: 'Line up Tailor' }).waitFor();
});

browserTest('an offer lapses, and the page says so', async ({ open }) => {
  const id = await postFull('Piper');
  const first = await open(boardFor(5, 'piper'));
  await press(first, 'Line up', 'Piper');
  await rowOf(first, 'next in line').waitFor();
  await sql`DELETE FROM job_claims WHERE job_id = ${id} AND recruiter_id = 1`;
  await first.getByText(/offered, ends in/).waitFor();
  await sql.begin(async (tx) => {
    await tx`SET LOCAL session_replication_role = replica`;
    await tx`UPDATE job_claims SET expires_at = statement_timestamp() WHERE recruiter_id = 5`;
  });
  await first.getByRole('button', { name: 'Claim Piper' }).waitFor();
  await rowOf(first, '3 of 4 claimed').waitFor();
});

browserTest('a recruiter leaves the line, and a closed line says so', async ({ open }) => {
  const id = await postFull('Cooper');
  const page = await open(boardFor(5, 'cooper'));
  await press(page, 'Line up', 'Cooper');
  await press(page, 'Leave the line', 'Cooper');
  await rowOf(page, /Leaving the line in \d s/).waitFor();
  await page.getByRole('button', { name: 'Line up Cooper' }).waitFor();
  await sql`INSERT INTO waitlist_settings (job_id, longest) VALUES (${id}, 0)`;
  await press(page, 'Line up', 'Cooper');
  await rowOf(page, 'The company has closed the line of this job.').waitFor();
  expect(await page.getByText('in line', { exact: true }).count()).toBe(0);
});

browserTest('a recruiter who undoes keeps the place, and keeps the offer', async ({ open }) => {
  await postFull('Saddler');
  const holder = await open(boardFor(1, 'saddler'));
  const page = await open(boardFor(5, 'saddler'));
  await press(page, 'Line up', 'Saddler');
  await isIdle(page, 'Leave the line');
  await page.clock.install();
  await press(page, 'Leave the line', 'Saddler');
  await rowOf(page, /Leaving the line in [78] s/).waitFor();
  await page.clock.runFor(3_000);
  await rowOf(page, /Leaving the line in [45] s/).waitFor();
  await expectAccessible(page);
  await press(page, 'Undo', 'Saddler');
  expect(await focused(page)).toBe('Saddler');
  await page.clock.runFor(20_000);
  await rowOf(page, 'next in line').waitFor();
  await press(holder, 'Release', 'Saddler');
  await page.getByText(/offered, ends in/).waitFor();
  await press(page, 'Decline', 'Saddler');
  await page.clock.runFor(7_000);
  await press(page, 'Undo', 'Saddler');
  await page.clock.runFor(20_000);
  await press(page, 'Accept', 'Saddler');
  await page.getByText('yours', { exact: true }).waitFor();
});

browserTest('a delayed press is not sent if something has changed', async ({ open }) => {
  const id = await postFull('Glazier');
  const page = await open(boardFor(5, 'glazier'));
  await press(page, 'Line up', 'Glazier');
  await rowOf(page, 'next in line').waitFor();
  await sql`DELETE FROM job_claims WHERE job_id = ${id} AND recruiter_id = 1`;
  await isIdle(page, 'Decline');
  await page.clock.install();
  await press(page, 'Decline', 'Glazier');
  // Somebody accepts the offer in another tab.
  const [claim] = await sql`SELECT id FROM job_claims WHERE job_id = ${id} AND recruiter_id = 5`;
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' };
  expect((await fetch(`${url}/claims/${claim?.id}/accept`, init)).status).toBe(200);
  await page.clock.runFor(1_000);
  await page.getByText('yours', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Undo Glazier' }).focus();
  await page.clock.runFor(8_000);
  await rowOf(page, 'Something has changed since you pressed the button').waitFor();
  // The button Undo had the focus, and is gone.
  expect(await focused(page)).toBe('Glazier');
  expect((await sql`SELECT FROM job_claims WHERE id = ${claim?.id ?? 0}`).length).toBe(1);
});

browserTest('a company sees who has an offer, and who waits', async ({ open }) => {
  const id = await postFull('Farrier');
  const recruiter = await open(boardFor(5, 'farrier'));
  await press(recruiter, 'Line up', 'Farrier');
  await rowOf(recruiter, 'next in line').waitFor();
  const [{ after } = {}] = await sql`SELECT max(id) - 1 AS after FROM jobs`;
  const page = await open(`${url}/company?company=1&after=${after}`);
  const line = page.getByRole('list', { name: 'The line of Farrier' });
  await line.getByText('next in line').waitFor();
  expect(await line.textContent()).toContain('Amara Eriksen');
  await sql`DELETE FROM job_claims WHERE job_id = ${id} AND recruiter_id = 1`;
  await line.getByText(/offered, ends in 1[45]:\d\d/).waitFor();
  await expectAccessible(page);
});
