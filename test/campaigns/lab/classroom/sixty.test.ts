import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { print } from '../../../../src/platform/process/print.ts';
import { pause } from '../../../../src/platform/waiting/backoff.ts';
import { browserTest } from '../../../support/browser.ts';
import type { Following } from '../../../support/events.ts';
import { percentile } from '../../../support/percentile.ts';
import { runRoom, type Visitor, visitorsOf } from '../../../support/room.ts';
import { lessonsWithScript, scriptFile } from '../../../support/scripts.ts';

/** A class of sixty: half of them in browsers, and half of them by program. */
const BY_PROGRAM = 30;
const IN_BROWSERS = 30;

/** The time in which the students come. */
const COMING_MS = 20_000;

const [, lesson] = lessonsWithScript;
if (!lesson) throw new Error('lesson 4 has no script');
const STARTER = scriptFile(lesson, 'starter');
const SOLUTION = scriptFile(lesson, 'solution');
const OPEN = { lesson: 4, mayLookAhead: false, isHeld: true, votesAgain: false };

const inWords = (name: string, values: number[]) =>
  `${name}: ${values.length} times, p50 ${percentile(values, 0.5).toFixed(0)} ms, p95 ${percentile(values, 0.95).toFixed(0)} ms`;

/**
 * The maximum time of 95 of 100 requests of the teacher. Our goal is 100 ms on an idle machine, and
 * this test prints the time. The limit leaves room for the thirty browsers beside the room.
 */
const MOST_MS = 2_000;

async function timed<T>(took: number[], work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const done = await work();
  took.push(performance.now() - began);
  return done;
}

/** Measures the requests of the teacher until `isOver` is true. */
async function teach(teacher: Visitor, took: number[], isOver: () => boolean) {
  while (!isOver()) {
    await timed(took, () => teacher.call('GET', '/teacher/answers/4'));
    await pause(200);
  }
}

const lastOf = (following: Following, name: string) =>
  following.events.findLast((event) => event.name === name)?.data;

/** Returns the solution with a name of the student's own. Students with the same script share a run. */
const ownSolution = (number: number): string =>
  SOLUTION.replace('select capacity', `select capacity as most_${number}`).replace(
    ':capacity',
    `:most_${number}`,
  );

/** A student by program: follows the pace, votes, writes a wrong script and then the right one. */
async function studyByProgram(student: Visitor, number: number) {
  const report = (more: object) =>
    student.call('POST', '/lab/classroom/progress', { lesson: 4, step: 'do', ...more });
  const following = await student.follow('/lab/classroom/pace');
  const until = (isSo: (pace: typeof OPEN) => boolean) =>
    expect
      .poll(() => isSo(lastOf(following, 'pace') ?? { ...OPEN, lesson: 0 }), { timeout: 400_000 })
      .toBe(true);
  await until(({ lesson: open }) => open === 4);
  expect((await report({ prediction: 'ABCD'[number % 4] })).status).toBe(204);
  await until(({ votesAgain }) => votesAgain);
  expect((await report({ prediction: 'A', secondVote: 'B' })).status).toBe(204);
  for (const [text, kind] of [
    [STARTER, 'falls'],
    [ownSolution(number), 'solved'],
  ] as const) {
    const tried = await student.follow('/lab/scripts', { lesson: 4, text });
    await tried.ended;
    expect(tried.events.at(-1)).toMatchObject({ name: 'done', data: { kind } });
  }
  // The laptop sleeps, and comes back.
  following.leave();
  await pause(2_000);
  const again = await student.follow('/lab/classroom/pace');
  await expect.poll(() => lastOf(again, 'pace')?.isHeld, { timeout: 300_000 }).toBe(false);
  expect((await report({ step: 'understand' })).status).toBe(204);
}

async function studyInBrowser(browser: Browser, url: string, code: string, number: number) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  page.setDefaultTimeout(300_000);
  // The students of a class do not come at the same moment.
  await pause(Math.random() * COMING_MS);
  await page.goto(`${url}/join#${code}`);
  // Thirty browsers share two processors here. A page that a browser has lost is loaded again.
  await page
    .getByLabel('Your name')
    .waitFor({ timeout: 30_000 })
    .catch(() => page.reload());
  await page.getByLabel('Your name').fill(`Browser ${number}`);
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByRole('link', { name: 'Open it' }).click();
  await page
    .getByRole('radio')
    .nth(number % 4)
    .check();
  await page.getByRole('button', { name: 'This is my prediction' }).click();
  await page.getByText('Talk to your neighbour, and vote again.').waitFor();
  await page.getByRole('radio', { name: /^B/ }).check();
  await page.getByRole('button', { name: 'This is my second vote' }).click();
  await page.locator('.cm-content').waitFor();
  await tryScript(page, undefined, 'It oversells.');
  // The phone sleeps in the middle of the lesson, and comes back.
  const address = page.url();
  await page.goto('about:blank');
  await pause(2_000);
  await page.goto(address);
  await page.locator('.cm-content').waitFor();
  await tryScript(page, SOLUTION, 'It holds in all');
  await page.getByRole('heading', { name: 'What you saw' }).waitFor();
  await context.close();
}

async function tryScript(page: Page, text: string | undefined, verdict: string) {
  await page.locator('.cm-content').focus();
  if (text !== undefined) {
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText(text);
  }
  await page.keyboard.press('ControlOrMeta+s');
  await page.locator('.result').filter({ hasText: verdict }).first().waitFor();
}

browserTest(
  'a class of sixty joins, follows, votes twice, writes, sleeps and comes back',
  async ({ browser }) => {
    const { command, ...room } = await runRoom();
    const { join, teacher } = visitorsOf(room);
    const setPace = (pace: typeof OPEN) => teacher.call('PATCH', '/teacher/pace', pace);
    const desk = await teacher.follow('/teacher/room');
    const took: number[] = [];
    let isOver = false;
    const teaching = teach(teacher, took, () => isOver);
    // If the class fails, the room ends during a request.
    teaching.catch(() => undefined);
    const studying = [
      ...Array.from({ length: BY_PROGRAM }, async (_, number) =>
        studyByProgram(await join(`Student ${number + 1}`), number),
      ),
      ...Array.from({ length: IN_BROWSERS }, (_, number) =>
        studyInBrowser(browser, room.url, room.code, number + 1),
      ),
    ];
    const all = Promise.all(studying);
    const told = () => lastOf(desk, 'room');
    const sumOf = (votes: Record<string, number> = {}) =>
      Object.values(votes).reduce((sum, count) => sum + count, 0);
    const began = performance.now();
    const reaches = async (what: string, read: () => number | undefined) => {
      const reached = expect.poll(read, { timeout: 400_000 }).toBe(BY_PROGRAM + IN_BROWSERS);
      await Promise.race([all, reached]);
      print(`${what} after ${((performance.now() - began) / 1000).toFixed(0)} s\n`);
    };
    await reaches('all are here', () => told()?.students.length);
    await timed(took, () => setPace(OPEN));
    await reaches('all have voted', () => sumOf(told()?.predictions[4]));
    await timed(took, () => setPace({ ...OPEN, votesAgain: true }));
    await reaches('all have voted twice', () => sumOf(told()?.secondVotes[4]));
    await reaches('all have solved it', () => told()?.seen[4]?.solved);
    await timed(took, () => setPace({ ...OPEN, votesAgain: true, isHeld: false }));
    await all;
    isOver = true;
    await teaching;
    print(`${inWords('the teacher', took)}\n`);
    expect(told().seen[4]).toMatchObject({ solved: BY_PROGRAM + IN_BROWSERS });
    expect(told().secondVotes[4]).toEqual({ B: BY_PROGRAM + IN_BROWSERS });
    expect(told().wrongAnswers[4]).toEqual({ 'oversold in last-slot': BY_PROGRAM + IN_BROWSERS });
    command.child.kill('SIGINT');
    expect((await command.ended).code).toBe(130);
    expect(command.stderr()).toBe('');
    expect(percentile(took, 0.95)).toBeLessThan(MOST_MS);
  },
  900_000,
);
