import { beforeAll, describe, expect, test } from 'vitest';
import { compare, compareWith } from '../../../src/explorer/isolation/compare.ts';
import type { Stage } from '../../../src/explorer/stage.ts';
import { makeLabDatabase } from '../../support/database.ts';
import { explored, play } from '../../support/isolation.ts';
import { makeStage } from '../../support/stage.ts';

/**
 * The largest case has 500 schedules. An idle machine plays them with both programs in ten seconds.
 */
const TIMEOUT_MS = 180_000;

let ours: Stage;
let theirs: string;
beforeAll(async () => {
  ours = await makeStage();
  theirs = await makeLabDatabase();
});

describe("PostgreSQL's isolationtester agrees on every schedule of", {
  timeout: TIMEOUT_MS,
  tags: ['isolationtester'],
}, () => {
  test.each([
    ['claims/naive', 'last-slot', 20],
    ['claims/transaction', 'last-slot', 20],
    ['claims/one-statement', 'last-slot', 14],
    ['claims/row-lock', 'rollback-again', 24],
    ['claims/repeatable-read', 'last-slot', 20],
    ['claims/serializable', 'last-slot', 20],
    ['claims/insert-then-lock', 'last-slot', 18],
    ['claims/production', 'last-slot', 112],
    ['queue/select-then-update', 'calm', 368],
    ['queue/update-subselect', 'crash', 136],
    ['queue/for-update', 'crash', 44],
    ['queue/skip-locked', 'crash', 48],
    ['queue/held-transaction', 'crash', 78],
    ['queue/outbox', 'crash', 78],
    ['queue/lease-by-attempt', 'crash-and-slow', 266],
    ['queue/production', 'crash-and-slow', 500],
  ])('%s in %s', async (address, situation, count) => {
    const plan = await explored(ours, address, situation);
    expect([plan.permutations.length, plan.leftOut]).toEqual([count, []]);
    expect(await compareWith(plan, () => play(plan, theirs))).toBeUndefined();
  });

  test('each chapter, and disagrees if one wait is removed from its output', async () => {
    for (const address of ['claims/row-lock', 'queue/for-update']) {
      const plan = await explored(
        ours,
        address,
        address.startsWith('claims') ? 'last-slot' : 'calm',
      );
      const output = await play(plan, theirs);
      const edited = output.replace(' <waiting ...>', '');
      expect(edited).not.toBe(output);
      expect(compare(plan, output)).toBeUndefined();
      expect(compare(plan, edited)?.words).toContain('waited until step');
    }
  });
});
