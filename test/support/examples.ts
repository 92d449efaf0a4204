import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { knownVerdicts } from '../../src/lab/syllabus/known-verdicts.ts';
import { inProject } from '../../src/platform/process/project.ts';
import { makeTmpDir } from './command.ts';
import type { Language } from './languages.ts';
import { exploreProgram } from './programs.ts';

/** Returns the counts of all schedules of our own strategy, from docs/strategies.md. */
export function countsOf(strategy: string) {
  const { schedules = 0, faults } =
    knownVerdicts[`claims/${strategy}`]?.situations['last-slot'] ?? {};
  return { schedules, wrong: faults?.oversold ?? 0 };
}

/** Matches the line of the lock, and its comment. */
export const LOCK = /^.*THE LOCK.*\n.*\n/m;

/** Writes a changed text to a new file with the same name. Returns the path of this file. */
export function changedCopy(file: string, text: string): string {
  const copy = path.join(makeTmpDir(), path.basename(file));
  writeFileSync(copy, text);
  return copy;
}

/** Tests that the example holds, and that the example oversells without its lock. */
export const testExample = ({ title, tag, file, commandOf }: Language) =>
  describe(`the example in ${title}`, { tags: [tag] }, () => {
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
