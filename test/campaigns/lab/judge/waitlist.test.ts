import { beforeAll, describe, expect, test } from 'vitest';
import type { Stage } from '../../../../src/explorer/stage.ts';
import { findChapter } from '../../../../src/lab/chapters/index.ts';
import { faultOfFile } from '../../../../src/lab/judge/fault-of-file.ts';
import { type Judgement, judge } from '../../../../src/lab/judge/judge.ts';
import { loadStrategy } from '../../../../src/lab/judge/load-strategy.ts';
import { inProject } from '../../../../src/platform/process/project.ts';
import { makeStage } from '../../../support/stage.ts';

let stages: [Stage, ...Stage[]];
beforeAll(async () => {
  stages = [await makeStage(), await makeStage()];
});

async function judgementOf(name: string): Promise<Judgement> {
  const chapter = findChapter('waitlist');
  if (typeof chapter === 'string') throw new Error(chapter);
  const file = inProject(`test/lab/judge/judged/waitlist/${name}.ts`);
  return judge(stages, await loadStrategy(chapter, file), {
    onStep: () => undefined,
    explain: (played) => faultOfFile(played, file),
  });
}

describe('a right strategy holds:', () => {
  test.each(['right-advisory-lock', 'right-serializable'])(
    '%s',
    { timeout: 300_000 },
    async (name) => {
      const { verdict, checks } = await judgementOf(name);
      expect(checks.filter(({ holds }) => !holds)).toEqual([]);
      expect(verdict).toBe('holds');
    },
  );
});

describe('a wrong strategy falls:', () => {
  test.each([
    ['wrong-offers-to-the-newest', 'overtaken'],
    ['wrong-joins-outside', 'idle'],
    ['wrong-only-releases-offer', 'idle'],
  ])('%s, by the fault %s', { timeout: 300_000 }, async (name, fault) => {
    const { verdict, checks } = await judgementOf(name);
    expect(verdict).toBe('falls');
    expect(checks.filter((check) => !check.holds).map((check) => check.fault)).toContain(fault);
  });
});
