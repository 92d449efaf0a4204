import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { browserTest } from '../../../support/browser.ts';
import { makeOwnLab, YOURS } from '../../../support/own-lab.ts';

const { url, file, entry, save, saveJudged, play, eventsOf, race, expectLife } = await makeOwnLab();
const PATIENCE = { timeout: 30_000, interval: 50 };

test('Play, Explore, Race and Syllabus show the student’s strategy, also after a change of the file', async () => {
  await expect.poll(entry, PATIENCE).toMatchObject({ name: 'yours', missing: null });
  const oversold = ['1', '2', '1', '2', '1', '2'];
  expect((await play(oversold)).verdict).toBe('oversold: 5 claims, 4 slots');
  expect(await eventsOf(`explorations?strategy=${YOURS}`)).toMatch(/"faults":\{"oversold":18\}/);
  expect(await race([YOURS, 'claims/row-lock'])).toMatch(
    /event: done\ndata: .*yours oversold in [1-9]/,
  );
  expect(await eventsOf('strategies/yours')).toContain('"idea":"The strategy in my.ts"');

  expect(await saveJudged('right-row-lock.ts')).toBe(null);
  expect(await eventsOf(`explorations?strategy=${YOURS}`)).toMatch(/"faults":\{\}/);
  expect((await play(oversold)).detail).toMatch(/^Step \d of the schedule is/);
  expect(await eventsOf(`strategies/${YOURS}`)).toContain('update');
});

test('after a save with a syntax error the lab shows one line, and after a good save the lab works', async () => {
  expect(await save('export default () => {\n  const x = ;\n};')).toMatch(
    /my\.ts:2: Unexpected ";"$/,
  );
  expect(await play(['1'])).toMatchObject({
    status: 400,
    detail: expect.stringMatching(/:2: Unex/),
  });
  expect(await saveJudged('right-row-lock.ts')).toBe(null);
  expect((await play(['1'])).status).toBe(200);
});

// test/campaigns/lab/own/own.test.ts has more bad files.
describe('the server outlives a file', () => {
  test('that calls process.exit', async () => {
    expect(await save('export default async () => process.exit(0);')).toBe(null);
    const detail = expect.stringMatching(/my\.ts: it ended the process/);
    expect(await play(['1', '1'])).toMatchObject({ detail });
    await expectLife();
  });

  test('that is removed', async () => {
    rmSync(file);
    await expect.poll(entry, PATIENCE).toMatchObject({ missing: expect.stringMatching(/no file/) });
    await expectLife();
  });
});

browserTest('the page shows each save without a reload', async ({ open }) => {
  await saveJudged('wrong-naive.ts');
  const page = await open(`${url}/lab?strategy=${YOURS}&view=syllabus`);
  await page.getByText('The strategy in my.ts').waitFor();
  await page.getByText('Not played yet.').first().waitFor();
  await save('export default () => {\n  const x = ;\n};');
  await page
    .getByText(/my\.ts:2: Unexpected ";"/)
    .first()
    .waitFor();
  await saveJudged('right-row-lock.ts');
  await page.getByRole('link', { name: 'Play it' }).waitFor();
  expect(await page.getByText('Unexpected').count()).toBe(0);
});

browserTest(
  'the page says that it cannot reach the server, until the server answers again',
  async ({ open }) => {
    const page = await open(`${url}/lab?view=syllabus`);
    await page.getByRole('link', { name: 'yours' }).waitFor();
    await page.route('**/lab/own', (route) => route.abort());
    await page.reload();
    const lost = page.getByRole('status').filter({ hasText: 'hears no saves' });
    await lost.waitFor();
    await page.unroute('**/lab/own');
    await lost.waitFor({ state: 'detached' });
  },
);
