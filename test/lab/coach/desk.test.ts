import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Desk } from '../../../src/lab/coach/desk.ts';
import { type Lesson, readLessons, starterOf } from '../../../src/lab/lessons/lesson.ts';
import { watchText } from '../../../src/lab/own/watch.ts';
import { atEnd, makeTmpDir } from '../../support/command.ts';
import { makeSmallDisk } from '../../support/small-disk.ts';

const [, , , locking] = readLessons() as [Lesson, Lesson, Lesson, Lesson];
const none = { lesson: 1, solved: [], predicted: {}, hints: {} };

/** Watches a new file, and notes its text, or its problem, after each change. */
function watched() {
  const desk = new Desk(makeTmpDir());
  const file = desk.fileOf(locking);
  const seen: string[] = [];
  const unwatch = watchText(file, () =>
    seen.push(desk.problemOf(file) ?? readFileSync(file, 'utf8')),
  );
  atEnd(unwatch);
  const sees = (words: string) =>
    expect.poll(() => seen.at(-1), { timeout: 20_000 }).toContain(words);
  return { desk, file, seen, sees };
}

test('an editor that saves by a rename causes one change', async () => {
  const { file, seen, sees } = watched();
  writeFileSync(`${file}.draft`, 'replaced');
  renameSync(`${file}.draft`, file);
  await sees('replaced');
  expect(seen).toEqual(['replaced']);
});

test('an editor that removes the file and soon writes it again causes one change', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { file, seen } = watched();
  rmSync(file);
  vi.advanceTimersByTime(500);
  writeFileSync(file, 'again');
  vi.advanceTimersByTime(500);
  expect(seen).toEqual(['again']);
});

test('ten saves in a row cause one change, with the last text', async () => {
  const { file, seen, sees } = watched();
  for (let save = 1; save <= 10; save++) writeFileSync(file, `save ${save}`);
  await sees('save 10');
  expect(seen).toEqual(['save 10']);
});

test.each([
  ['gone', (file: string) => rmSync(file), / is gone\. Press r, and the starter comes back\.$/],
  [
    'a folder',
    (file: string) => {
      rmSync(file);
      mkdirSync(file);
    },
    / is a folder\. Remove the folder, and press r\.$/,
  ],
] as const)('a file that is %s is reported in one line', async (words, change, line) => {
  const { file, seen, sees } = watched();
  change(file);
  await sees(words);
  expect(seen).toEqual([expect.stringMatching(line)]);
});

test('the starter is not written if a folder has the name of the file', () => {
  const { desk, file } = watched();
  rmSync(file);
  mkdirSync(file);
  expect(() => desk.restore(locking)).toThrow(
    /04-the-lock\.ts cannot be written: it is a folder\.$/,
  );
});

test('two coaches in one folder keep the progress of each other', () => {
  const folder = makeTmpDir();
  const [one, two] = [new Desk(folder), new Desk(folder)];
  one.writeProgress({ ...none, solved: [1], predicted: { 1: 'A' }, hints: { 1: 2 } });
  two.writeProgress({ ...none, solved: [2], predicted: { 1: 'B', 2: 'C' }, hints: { 1: 1 } });
  expect(one.readProgress()).toEqual({
    ...none,
    solved: [1, 2],
    predicted: { 1: 'A', 2: 'C' },
    hints: { 1: 2 },
  });
});

test('a full disk keeps the old progress, and no half file is left', { tags: ['mount'] }, () => {
  const disk = makeSmallDisk(4);
  const desk = new Desk(disk.directory);
  desk.writeProgress({ ...none, solved: [1] });
  disk.fill(0);
  expect(() => desk.writeProgress({ ...none, solved: [2] })).toThrow(
    /progress\.json cannot be written: the disk is full\.$/,
  );
  expect(() => desk.fileOf(locking)).toThrow(/cannot be written: the disk is full\.$/);
  expect(desk.readProgress().solved).toEqual([1]);
  expect(readdirSync(disk.directory).filter((name) => /04|new$/.test(name))).toEqual([]);
});

test('restore replaces the student’s text by the starter', () => {
  const { desk, file } = watched();
  writeFileSync(file, 'mine');
  desk.restore(locking);
  expect(readFileSync(file, 'utf8')).toBe(readFileSync(starterOf(locking), 'utf8'));
});
