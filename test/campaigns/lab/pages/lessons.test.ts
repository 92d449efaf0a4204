import { describe } from 'vitest';
import { readLessons } from '../../../../src/lab/lessons/lesson.ts';
import { makeService } from '../../../support/app.ts';
import { browserTest } from '../../../support/browser.ts';
import { makeDatabase } from '../../../support/database.ts';
import { reachGoal } from '../../../support/lesson-goal.ts';

const { url } = await makeService(await makeDatabase());

describe.each(readLessons())('the goal of lesson $number', (lesson) => {
  browserTest('can be reached', ({ open }) => reachGoal(`${url}/lab`, open, lesson));
});
