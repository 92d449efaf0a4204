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
  await page.locator('.name').getByText('Student 3 <i>', { exact: true }).waitFor();
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
