import type { Download } from 'playwright-core';
import { expect } from 'vitest';
import { browserTest, expectAccessible } from '../../../support/browser.ts';
import { makeRoom } from '../../../support/room.ts';

const { room, join } = await makeRoom();
const teachers = `${room.url}/teacher#${room.secret}`;

browserTest('a student scans the code, types a name, and sees the lessons', async ({ open }) => {
  const page = await open(`${room.url}/join#${room.code}`);
  expect(await page.getByLabel('Code').inputValue()).toBe(room.code);
  await page.getByLabel('Your name').fill('Grace');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Join' }).click();
  await page.waitForURL(/\/lab/);
  await page.getByRole('link', { name: 'Grace' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Job board' }).click();
  await page
    .getByRole('button', { name: /^Claim / })
    .first()
    .waitFor();
  await expectAccessible(page);
});

browserTest('a student who types a wrong code reads that the code is wrong', async ({ open }) => {
  const page = await open(`${room.url}/join`);
  await page.getByLabel('Code').fill('AAA AAA');
  await page.getByLabel('Your name').fill('Grace');
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByText('This is not the code of the room. Look at the screen again.').waitFor();
});

browserTest('the teacher sees each new prediction, and can remove a student', async ({ open }) => {
  const page = await open(teachers);
  await page.getByText('Live', { exact: true }).waitFor();
  expect(page.url()).not.toContain(room.secret);
  const countOf = (letter: string) =>
    page
      .getByRole('listitem')
      .filter({ hasText: new RegExp(`^${letter}`) })
      .locator('.count');
  for (const [index, prediction] of ['A', 'B', 'A'].entries()) {
    const { call } = await join(`Student ${index + 1} <i>\u202e`);
    await call('POST', '/lab/classroom/progress', { lesson: 1, step: 'do', prediction });
  }
  await expect.poll(() => countOf('A').textContent()).toBe('2 predictions');
  await expect.poll(() => countOf('B').textContent()).toBe('1 prediction');
  const students = page.getByRole('region', { name: /students$/ });
  await students.locator('.name').getByText('Student 3 <i>', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Show the answer' }).click();
  await page.getByText('✓ the answer').waitFor();
  await expectAccessible(page);
  page.on('dialog', (dialog) => dialog.accept());
  await page.getByRole('button', { name: 'Remove Student 3' }).click();
  await expect.poll(() => countOf('A').textContent()).toBe('1 prediction');
});

browserTest(
  'the projector can show the code to join, the predictions and the source code of the lesson',
  async ({ open }) => {
    const page = await open(teachers, { width: 1920, height: 1080 });
    await page.getByRole('button', { name: 'How to join' }).click();
    await page.locator('.big-code').waitFor();
    expect(await page.locator('.big-code').textContent()).toBe(room.code);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Predictions' }).click();
    await page.getByLabel('Lesson').selectOption('4. The lock');
    await page.getByRole('heading', { name: '4. The lock' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Code' }).click();
    await page.getByText('export default').waitFor();
    await expectAccessible(page);
    const isTooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
    expect(await page.evaluate(isTooWide)).toBe(false);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'The room' }).waitFor();
  },
);

browserTest('without the secret the teacher’s page shows nothing of the room', async ({ open }) => {
  const page = await open(`${room.url}/teacher#${'0'.repeat(32)}`);
  await page.getByRole('alert').filter({ hasText: 'The terminal of the room' }).waitFor();
  expect(await page.content()).not.toContain(room.code);
});

browserTest(
  'the teacher reads that the room does not answer, and can send the same secret again',
  async ({ open }) => {
    const page = await open(`${room.url}/teacher`);
    await page.route('**/teacher/classroom', (route) => route.abort());
    const submit = async () => {
      await page.getByLabel('Address or secret').fill(teachers);
      await page.getByRole('button', { name: 'Open' }).click();
    };
    await submit();
    await page.getByRole('alert').filter({ hasText: 'The room does not answer.' }).waitFor();
    await page.unroute('**/teacher/classroom');
    await submit();
    await page.getByRole('heading', { name: 'The room' }).waitFor();
  },
);

browserTest(
  'the teacher opens a lesson for all, holds back its answer, and lets the class vote twice',
  async ({ open, browser }) => {
    const desk = await open(`${room.url}/teacher?lesson=4#${room.secret}`);
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const student = await context.newPage();
    await student.goto(`${room.url}/join#${room.code}`);
    await student.getByLabel('Your name').fill('Ines');
    await student.getByRole('button', { name: 'Join' }).click();
    await student.getByRole('heading', { name: 'Lessons', exact: true }).waitFor();

    await desk.getByRole('button', { name: 'Open lesson 4 for all' }).click();
    await desk.getByText('Lesson 4 is open for all.').waitFor();
    await student.getByText('Your teacher has opened lesson 4, The lock.').waitFor();
    await student.getByText('5. The trap').waitFor();
    expect(await student.getByRole('link', { name: 'The trap' }).count()).toBe(0);
    await student.goto(`${room.url}/lab?view=lessons&lesson=5`);
    await student.getByText('Your teacher has not opened this lesson yet.').waitFor();
    await student.getByRole('link', { name: 'Open it' }).click();

    await student.getByRole('radio', { name: /^A/ }).check();
    await student.getByRole('button', { name: 'This is my prediction' }).click();
    await student.getByText('opens when your teacher goes on').waitFor();
    await student.getByText('opens when your teacher releases the answer').waitFor();

    await desk.getByLabel('Vote a second time').check();
    await student.getByText('You predicted A. Talk to your neighbour, and vote again.').waitFor();
    await student.getByText('opens after the second vote').waitFor();
    expect(await student.getByRole('radio', { checked: true }).count()).toBe(0);
    await student.getByRole('radio', { name: /^B/ }).check();
    await student.getByRole('button', { name: 'This is my second vote' }).click();
    await student.getByText('You predicted A. Your second vote is B.').waitFor();
    await desk.getByText('and 1 has voted a second time').waitFor();
    await student.getByRole('link', { name: 'Open Play with everything set' }).waitFor();
    expect(await student.getByRole('button', { name: 'Show the answer now' }).count()).toBe(0);
    await expectAccessible(desk);

    await desk.getByLabel('Hold back the answer').uncheck();
    await student.getByRole('button', { name: 'Show the answer now' }).click();
    await student.getByRole('heading', { name: 'What you saw' }).waitFor();
    await desk.getByRole('row', { name: /^4 The lock/ }).waitFor();
    // Nobody has opened the lesson that was closed.
    expect(await desk.getByRole('row', { name: /^5 / }).count()).toBe(0);
    const [saved] = await Promise.all([
      desk.waitForEvent('download'),
      desk.getByRole('link', { name: 'Save as CSV' }).click(),
    ]);
    expect(textOf(saved)).toMatch(/^Lesson,Title,.*\r\n(.*\r\n)?4,The lock,\d+,/);

    await student.goto(`${room.url}/lab`);
    const [page] = await Promise.all([
      student.waitForEvent('download'),
      student.getByRole('link', { name: 'Save what you have done as a page' }).click(),
    ]);
    expect(textOf(page)).toMatch(/4\. The lock[\s\S]+My second vote: B\./);
    await desk.getByRole('button', { name: 'Let students go on alone' }).click();
    await context.close();
    await desk.getByText('Ines has no page of the lab open').waitFor();
  },
  120_000,
);

browserTest(
  'a wrong script of the class can be shown on the big screen, without a name',
  async ({ open }) => {
    const { follow } = await join('Jo');
    const following = await follow('/lab/scripts', { lesson: 4, text: 'select 1;' });
    await following.ended;
    const desk = await open(`${room.url}/teacher?lesson=4#${room.secret}`);
    await desk.getByText('unsold in last-slot').click();
    await desk.getByRole('button', { name: 'Show on the big screen' }).click();
    await desk.getByText('select 1;').first().waitFor();
    await desk.getByText('It undersells.').waitFor();
    expect(await desk.locator('main').textContent()).not.toContain('Jo');
    await expectAccessible(desk);
  },
  120_000,
);

/** The files are data URLs, so the address of a download contains its text. */
const textOf = (download: Download): string =>
  decodeURIComponent(download.url().replace(/^[^,]*,/, ''));
