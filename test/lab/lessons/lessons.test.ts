import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { findChapter, findSituation, findStrategy } from '../../../src/lab/chapters/index.ts';
import type { Setting } from '../../../src/lab/lessons/in-browser.ts';
import {
  type Lesson,
  readLesson,
  readLessons,
  solutionOf,
  starterOf,
} from '../../../src/lab/lessons/lesson.ts';
import { knownVerdicts } from '../../../src/lab/syllabus/known-verdicts.ts';
import { pageOf, pages } from '../../support/pages.ts';

const lessons = readLessons();
const plan = pageOf('workshop/README.md').text;
const lessonPages = pages.filter(({ name }) => /^workshop\/\d\d-/.test(name));

test('the lessons are numbered from 1 to 17', () => {
  expect(lessons.map(({ number }) => number)).toEqual(lessons.map((_, index) => index + 1));
  expect(lessons).toHaveLength(17);
  for (const { number, name } of lessons)
    expect(name.startsWith(String(number).padStart(2, '0'))).toBe(true);
});

describe.each(lessons)('lesson $number, $title', (lesson) => {
  test('has three hints, and a text in every part', () => {
    expect(lesson.hints).toHaveLength(3);
    const { goal, task, whatYouSaw, forTheTeacher, question } = lesson;
    for (const text of [goal, task, whatYouSaw, forTheTeacher, question.text, question.because])
      expect(text.length).toBeGreaterThan(40);
  });

  test('has a question with choices, and its answer is one of the choices', () => {
    const letters = lesson.question.choices.map(({ letter }) => letter);
    expect(letters.length).toBeGreaterThanOrEqual(2);
    expect(letters).toEqual(['A', 'B', 'C', 'D'].slice(0, letters.length));
    expect(letters).toContain(lesson.question.answer);
  });

  test('has a starter and a solution that differ', () => {
    const [starter, solution] = [starterOf(lesson), solutionOf(lesson)].map((file) =>
      readFileSync(file, 'utf8'),
    );
    expect(starter).not.toBe(solution);
  });

  test('has a goal in the browser that a visitor can reach with its settings', () => {
    const { goal, more, setting } = lesson.inBrowser;
    expect(goal).toMatch(/^[A-Z].+\.$/);
    expect(more.length).toBeGreaterThan(20);
    expect(reachable(setting)).toContain(setting.goal);
    const maps = setting.page === 'play' ? (setting.maps ?? []) : [];
    for (const strategy of maps)
      expect(reachable({ ...setting, strategy } as Setting)).toContain('wait');
  });

  test('names only chapters, strategies, situations and faults that exist', () => {
    expect(namedBy(lesson).filter((found) => typeof found === 'string')).toEqual([]);
  });
});

/** Returns the goals that a person can reach with this setting. */
function reachable(setting: Setting): string[] {
  const addressed = findStrategy(setting.strategy);
  if (typeof addressed === 'string') throw new Error(addressed);
  const { situations } = knownVerdicts[setting.strategy] ?? {};
  if (setting.page === 'race') {
    const rival = setting.beside === undefined ? addressed : findStrategy(setting.beside);
    expect(rival).toMatchObject({ chapter: { name: addressed.chapter.name } });
    return [
      'raced',
      ...Object.values(situations ?? {}).flatMap(({ faults }) => Object.keys(faults)),
    ];
  }
  expect(findSituation(addressed, setting.situation)).toBeTypeOf('object');
  const { faults = {} } = situations?.[setting.situation] ?? {};
  return setting.page === 'explore' ? ['explored'] : ['wait', ...Object.keys(faults)];
}

/**
 * Returns everything that the exercise names. A string in the list says that a thing is missing.
 */
function namedBy({ exercise }: Lesson): unknown[] {
  if (exercise.kind !== 'schedule') {
    const chapter = findChapter(exercise.chapter);
    if (typeof chapter === 'string') return [chapter];
    const faults = (exercise.kind === 'strategy' && exercise.faults) || [];
    return faults.map(
      (fault) => chapter.faults.find(({ name }) => name === fault) ?? `There is no ${fault}.`,
    );
  }
  const addressed = findStrategy(exercise.strategy);
  if (typeof addressed === 'string') return [addressed];
  const { faults } = addressed.chapter;
  return [
    findSituation(addressed, exercise.situation),
    faults.find(({ name }) => name === exercise.fault) ?? `There is no ${exercise.fault}.`,
  ];
}

describe('the plan for teachers', () => {
  test.each(lessons)('has lesson $number with its minutes', ({ number, title, name, minutes }) => {
    expect(plan).toContain(`| ${number} | [${title}](${name}/lesson.md) | ${minutes} |`);
  });

  test('starts each lesson of the first session in the right minute, and ends after 75 minutes', () => {
    const clock = [...plan.matchAll(/^\| (\d+) \| (?:Lesson (\d)|The end)\./gm)].map(
      ([, minute, number]) => ({ minute: Number(minute), number: Number(number ?? 8) }),
    );
    expect(clock.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    for (const { minute, number } of clock) {
      const before = lessons.filter((lesson) => lesson.number < number);
      expect(minute).toBe(before.reduce((sum, { minutes }) => sum + minutes, 0));
    }
    expect(clock.at(-1)?.minute).toBe(75);
  });

  test.each(lessons.slice(0, 7))('splits all minutes of lesson $number', ({ number, minutes }) => {
    const [, parts = ''] =
      new RegExp(`Lesson ${number}\\..* \\| ([\\d +]+) \\|$`, 'm').exec(plan) ?? [];
    const sum = parts.split(' + ').reduce((total, each) => total + Number(each), 0);
    expect(sum).toBe(minutes);
  });
});

/** A count such as `18 of 20` or `18`. A comment right after the count names its source. */
const COUNT = /(\d+)(?: of (\d+))?(?:\*\*)?<!-- (\S+) (\S+) (\S+) -->/g;

describe('every count of schedules in a lesson comes from the explorer', () => {
  const counts = pages.flatMap(({ name, text }) =>
    name.startsWith('workshop/') && name !== 'workshop/README.md'
      ? [...text.matchAll(COUNT)].map((match) => ({ name, match }))
      : [],
  );

  test.each(counts)(
    '$match.0 of $name',
    ({ match: [, count, total, address, situation, what] }) => {
      const known = knownVerdicts[address ?? '']?.situations[situation ?? ''];
      expect(known).toBeDefined();
      if (!known) return;
      const { schedules, serializationFailures: serialization, faults } = known;
      expect(Number(count)).toBe({ schedules, serialization, ...faults }[what ?? '']);
      if (total !== undefined) expect(Number(total)).toBe(schedules);
    },
  );

  test.each(lessonPages)('$name has no count of schedules without a source', ({ text }) => {
    const rest = text.replaceAll(COUNT, '');
    expect(rest.match(/\d+ of \d+|\d\d+ (orders|schedules)/g) ?? []).toEqual([]);
  });
});

describe('a malformed lesson is refused', () => {
  const [{ name }] = lessons as [Lesson];
  const text = pageOf(`workshop/${name}/lesson.md`).text;

  test.each([
    ['another heading', text.replace('## Hints', '## Tips'), /the headings must be Minutes/],
    ['no title', text.replace(/^# .+/, ''), /the first line must be/],
    ['no minutes', text.replace('\n10\n', '\nten\n'), /the minutes must be a number/],
    ['an unknown field', text.replace('- chapter:', '- room:'), /the exercise is malformed/],
    [
      'an unknown page',
      text.replace('- page: `race`', '- page: `moon`'),
      /for the browser is malfo/,
    ],
    ['an answer that is no choice', text.replace('\nC. On', '\nD. On'), /Answer must begin/],
  ])('%s', (_, malformed, words) => {
    expect(malformed).not.toBe(text);
    expect(() => readLesson(name, malformed)).toThrow(words);
    expect(() => readLesson(name, malformed)).toThrow(`workshop/${name}/lesson.md: `);
  });
});
