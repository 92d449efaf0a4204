import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { knownVerdicts } from '../../src/lab/syllabus/known-verdicts.ts';
import { inProject } from '../../src/process/project.ts';
import { makeTmpDir } from './command.ts';
import type { Language } from './languages.ts';
import { exploreProgram } from './programs.ts';

/** What every schedule of our own strategy has shown. */
export function countsOf(strategy: string) {
  const { schedules = 0, faults } =
    knownVerdicts[`claims/${strategy}`]?.situations['last-slot'] ?? {};
  return { schedules, wrong: faults?.oversold ?? 0 };
}

/** The line of the lock, with its comment. */
export const LOCK = /^.*THE LOCK.*\n.*\n/m;

/** A copy of a file, with another text. */
export function changedCopy(file: string, text: string): string {
  const copy = path.join(makeTmpDir(), path.basename(file));
  writeFileSync(copy, text);
  return copy;
}

/** The example holds, and oversells without its lock. */
export const testExamples = (languages: Language[]) =>
  describe.each(languages)('the example in $title', ({ file, commandOf }) => {
    test('holds in as many schedules as row-lock', async () => {
      const { schedules, faults } = await exploreProgram({ server: commandOf(inProject(file)) });
      expect({ schedules, faults }).toEqual({
        schedules: countsOf('row-lock').schedules,
        faults: {},
      });
    });

    test('oversells without the line of the lock, as often as transaction', async () => {
      const text = readFileSync(inProject(file), 'utf8');
      expect(text).toMatch(LOCK);
      const changed = changedCopy(file, text.replace(LOCK, ''));
      const { schedules, faults } = await exploreProgram({ server: commandOf(changed) });
      const { wrong, ...expected } = countsOf('transaction');
      expect({ schedules, faults }).toEqual({ ...expected, faults: { oversold: wrong } });
    });
  });
