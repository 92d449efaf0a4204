import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { inProject } from '../../../../src/platform/process/project.ts';
import { changedCopy, countsOf, LOCK, testExample } from '../../../support/examples.ts';
import { go, java, python } from '../../../support/languages.ts';
import { pageOf } from '../../../support/pages.ts';
import { exploreProgram } from '../../../support/programs.ts';

for (const language of [go, python, java]) testExample(language);

describe('the handlers of the article, on tables without a capacity', { tags: ['go'] }, () => {
  test.each([
    ['naive', 'naive'],
    ['transaction', 'transaction'],
    ['row-lock', 'row-lock'],
  ])('the handler %s has the same counts as our strategy %s', async (handler, strategy) => {
    const folder = inProject('examples/any-language/article');
    const { schedules, faults, counterexamples } = await exploreProgram({
      server: go.commandOf(path.join(folder, handler, 'main.go')),
      schema: path.join(folder, 'schema.sql'),
      invariant: 'select job_id, count(*) from job_claims group by job_id having count(*) > 4',
    });
    const { violated = 0, ...others } = faults;
    expect({ schedules, wrong: violated }).toEqual(countsOf(strategy));
    expect(others).toEqual({});
    if (violated)
      expect(counterexamples.violated?.summary).toBe('the invariant returns job_id 1, count 5');
  });
});

const lesson = pageOf('workshop/any-language/README.md').text;
test('the lesson gives the true counts for a lock that comes after the count of claims', {
  tags: ['python'],
}, async () => {
  const text = readFileSync(inProject(python.file), 'utf8');
  const [lock = ''] = LOCK.exec(text) ?? [];
  const low = text.replace(LOCK, '').replace(/^.*fetchone\(\)\n/m, (count) => count + lock);
  const command = python.commandOf(changedCopy(python.file, low));
  const { schedules, faults } = await exploreProgram({ server: command });
  expect(lesson).toContain(
    `there are ${schedules} orders, and ${faults.oversold} of them oversell`,
  );
  const { schedules: open, wrong } = countsOf('transaction');
  expect(lesson).toContain(`Without the lock, ${wrong} of ${open} orders oversell`);
  expect(lesson).toContain(`plays ${countsOf('row-lock').schedules} orders`);
});
