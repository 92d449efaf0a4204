import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { readLessons } from '../../../src/lab/lessons/lesson.ts';
import { makeService } from '../../support/app.ts';
import { browserTest } from '../../support/browser.ts';
import { makeDatabase } from '../../support/database.ts';

const { url } = await makeService(await makeDatabase());
const lessons = readLessons();
const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();

/** Predicts an answer and asks for the right answer, so that the whole lesson is shown. */
async function openWhole(page: Page) {
  await page.getByRole('radio', { name: /^A/ }).check();
  await page.getByRole('button', { name: 'This is my prediction' }).click();
  await page.getByRole('button', { name: 'Show the answer now' }).click();
  await heading(page, 'What you saw');
}

test('the server sends the lessons without the part for the teacher and without comments', async () => {
  const answer = await fetch(`${url}/lab/lessons`);
  expect(answer.status).toBe(200);
  const text = await answer.text();
  expect(JSON.parse(text).map(({ title }: { title: string }) => title)).toEqual(
    lessons.map(({ title }) => title),
  );
  expect(text).not.toContain('<!--');
  expect(text).not.toContain('forTheTeacher');
  const post = await fetch(`${url}/lab/lessons`, { method: 'POST' });
  expect([post.status, post.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
});

browserTest('the list of lessons shows the progress, even after a reload', async ({ open }) => {
  const page = await open(`${url}/lab`);
  await page.getByRole('link', { name: 'Begin with lesson 1' }).click();
  await openWhole(page);
  await page.getByRole('link', { name: /^Next: 2/ }).click();
  await page.getByRole('radio', { name: /^C/ }).check();
  await page.getByRole('button', { name: 'This is my prediction' }).click();
  await page.getByRole('link', { name: 'All lessons' }).click();
  await page.reload();
  await page.getByRole('link', { name: 'Go on with lesson 2' }).waitFor();
  const entries = page.getByRole('region', { name: 'First session' }).getByRole('listitem');
  expect(await entries.first().innerText()).toContain('✓ done');
  expect(await entries.nth(1).innerText()).toContain('you predicted C');
});
