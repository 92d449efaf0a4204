import { copyFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Examiner } from '../../../../src/lab/coach/examiner.ts';
import { type Lesson, readLessons, starterOf } from '../../../../src/lab/lessons/lesson.ts';
import { coachMaker } from '../../../support/coach.ts';
import { makeLabDatabase } from '../../../support/database.ts';

/** The maximum number of saves. One quick save is enough, because other tests may slow a save. */
const SAVES = 3;

const makeCoach = await coachMaker();
const url = await makeLabDatabase();

async function msOf(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
}

/** Starts a process, and judges the starter there until the first word of the result. */
async function tryCold(lesson: Lesson) {
  const examiner = new Examiner([url], ['--import', 'tsx']);
  const stop = new AbortController();
  const heard = new Error('the first word was heard');
  const onFirst = () => stop.abort(heard);
  const trial = examiner.examine(lesson, starterOf(lesson), stop.signal, { onFirst });
  await expect(trial).rejects.toBe(heard);
  await examiner.close();
}

// On a quiet machine the first word comes in less than half a second. On a busy machine it took ten
// seconds. So we compare the coach with a new process, on the same machine at the same time.
test.each(readLessons().slice(0, 9))(
  'after a save, the coach judges the starter of lesson $number sooner than a new process does',
  { timeout: 300_000 },
  async (lesson) => {
    const { press, shows, file } = makeCoach(lesson);
    press('a');
    await shows(/NOT YET/);
    const ratios: number[] = [];
    while (ratios.length < SAVES && !ratios.some((ratio) => ratio < 1)) {
      writeFileSync(file, 'nonsense');
      await shows(/nonsense|has no default export/);
      // During this trial, the processes of the coach warm up.
      const cold = await msOf(() => tryCold(lesson));
      const warm = await msOf(async () => {
        copyFileSync(starterOf(lesson), file);
        await shows(/NOT YET/);
      });
      ratios.push(warm / cold);
    }
    expect(Math.min(...ratios)).toBeLessThan(1);
  },
);
