import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { compare } from '../../../src/lab/explore/isolation/compare.ts';
import type { Plan } from '../../../src/lab/explore/isolation/plan.ts';
import { specOf } from '../../../src/lab/explore/isolation/spec.ts';
import type { Stage } from '../../../src/lab/explore/stage.ts';
import { explored, makeBareStage } from '../../support/isolation.ts';
import { findProgram } from '../../support/program.ts';

const tester = findProgram({
  title: 'isolationtester (docs/isolationtester.md builds it)',
  name: 'isolationtester',
  variable: 'ISOLATIONTESTER_PATH',
  tests: "PostgreSQL's own isolation tester",
  isOptionalInCi: true,
});

/** The largest has 500 schedules. Both programs play them in ten seconds on an idle machine. */
const TIMEOUT_MS = 180_000;

let ours: Stage;
let theirs: Stage;
beforeAll(async () => {
  ours = await makeBareStage();
  theirs = await makeBareStage();
});

/** Plays a plan with PostgreSQL's tester, on a database of its own. */
async function play(plan: Plan): Promise<string> {
  const child = spawn(tester ?? '', [theirs.url], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(specOf(plan, []));
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return output;
}

describe.skipIf(!tester)(
  "PostgreSQL's isolationtester agrees on every schedule of",
  { timeout: TIMEOUT_MS },
  () => {
    test.each([
      ['claims/naive', 'last-slot', 20],
      ['claims/transaction', 'last-slot', 20],
      ['claims/one-statement', 'last-slot', 14],
      ['claims/row-lock', 'rollback-again', 24],
      ['claims/repeatable-read', 'last-slot', 20],
      ['claims/serializable', 'last-slot', 20],
      ['claims/insert-then-lock', 'last-slot', 18],
      ['claims/production', 'last-slot', 70],
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
      expect(compare(plan, await play(plan), 'its output')).toBeUndefined();
    });

    test('each chapter, and disagrees if one wait is taken out of its output', async () => {
      for (const address of ['claims/row-lock', 'queue/for-update']) {
        const plan = await explored(
          ours,
          address,
          address.startsWith('claims') ? 'last-slot' : 'calm',
        );
        const output = await play(plan);
        const edited = output.replace(' <waiting ...>', '');
        expect(edited).not.toBe(output);
        expect(compare(plan, output, 'its output')).toBeUndefined();
        expect(compare(plan, edited, 'its output')?.words).toContain('waited until step');
      }
    });
  },
);
