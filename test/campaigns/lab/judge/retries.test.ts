import { beforeAll, describe, expect, test } from 'vitest';
import type { Stage } from '../../../../src/explorer/stage.ts';
import { findChapter } from '../../../../src/lab/chapters/index.ts';
import { faultOfFile } from '../../../../src/lab/judge/fault-of-file.ts';
import { type Judgement, judge } from '../../../../src/lab/judge/judge.ts';
import { loadStrategy } from '../../../../src/lab/judge/load-strategy.ts';
import { inProject } from '../../../../src/platform/process/project.ts';
import { makeStage } from '../../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

async function judgementOf(name: string): Promise<Judgement> {
  const chapter = findChapter('retries');
  if (typeof chapter === 'string') throw new Error(chapter);
  const file = inProject(`test/lab/judge/judged/retries/${name}.ts`);
  return judge([stage], await loadStrategy(chapter, file), {
    onStep: () => undefined,
    explain: (played) => faultOfFile(played, file),
  });
}

describe('a right strategy holds:', () => {
  test.each(['right-nowait', 'right-lease-and-provider', 'right-memory-and-transaction'])(
    '%s',
    async (name) => {
      const { verdict, checks } = await judgementOf(name);
      expect(checks.filter(({ holds }) => !holds)).toEqual([]);
      expect(verdict).toBe('holds');
    },
  );
});

const DIES = /-- the process of S1 dies/;

describe('a wrong strategy falls:', () => {
  test.each<[name: string, fault: string, when: RegExp]>([
    ['wrong-variable', 'twice', DIES],
    ['wrong-says-done-early', 'untrue', DIES],
    ['wrong-session-lock', 'stuck', /S1 makes this step, but its answer is lost/],
    ['wrong-lease-inside', 'twice', /^ +4 +-- two days pass\b/m],
    ['wrong-no-answer', 'untold', /ERROR: NoAnswer/],
    ['wrong-any-key', 'untrue', /the client of k2 asks again/],
    ['wrong-remembers-early', 'untrue', /S1 dies\. PostgreSQL rolls its transaction back/],
    ['wrong-take-over', 'twice', /S1 +S2 +S3[\s\S]*the process of S1 dies[\s\S]*-- two days pass/],
    ['wrong-receipt', 'untrue', /answer: done, receipt 1000/],
    ['wrong-second-try', 'twice', /S2 dies\. It has no open transaction\. Its commits stay/],
  ])('%s, by the fault %s', async (name, fault, when) => {
    const { verdict, checks } = await judgementOf(name);
    expect(verdict).toBe('falls');
    const found = checks.find((check) => check.fault === fault && check.counterexample);
    expect(found?.counterexample?.transcript).toMatch(when);
  });
});

test('each process has its own variables of the file, and loses them when it dies', async () => {
  const { checks } = await judgementOf('wrong-variable');
  const fallen = checks.filter(({ fault, holds }) => fault === 'twice' && !holds);
  // On one server, a request finds the variable of the other request.
  expect(fallen.map(({ check }) => check)).toEqual([
    expect.stringContaining('the retry comes two days later'),
    expect.stringContaining('to another server, and one server may die'),
    expect.stringContaining('to another server, and one server may be slow'),
    expect.stringContaining('to another server, one server may die, and one may be slow'),
    expect.stringContaining('to two other servers'),
    expect.stringContaining('at full speed'),
  ]);
});
