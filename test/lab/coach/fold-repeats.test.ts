import { expect, test } from 'vitest';
import type { ToldAct, ToldSchedule, ToldStep } from '../../../src/explorer/told.ts';
import { transcript } from '../../../src/explorer/transcript.ts';
import { foldRepeats } from '../../../src/lab/coach/fold-repeats.ts';

const LONG =
  'insert into job_claims (job_id, recruiter_id) select 1, 2 where (select count(*) from job_claims) < 4';

const actOf = (session: number, statement: string, more: Partial<ToldAct> = {}): ToldAct => ({
  session,
  statement,
  ...{ isEffect: false, isInMemory: false, stays: false, progress: 'ran' },
  ...{ result: '1 row', note: null, waitsFor: [], sentAt: 1 },
  ...more,
});
const stepOf = (...acts: ToldAct[]): ToldStep => ({
  choice: String(acts[0]?.session ?? 1),
  ...{ event: null, dead: [], ended: [], acts, silence: null },
});
const toldOf = (...steps: ToldStep[]): ToldSchedule => ({
  sessions: 2,
  schedule: steps.map(({ choice }) => choice),
  steps,
  ...{ endings: [null, null], afterwards: null, faults: [], summary: '', transcript: '' },
});

test('a long statement is shown once, and later steps name its step', () => {
  const told = toldOf(
    stepOf(actOf(1, 'begin')),
    stepOf(actOf(1, LONG)),
    stepOf(actOf(2, LONG, { progress: 'waits', waitsFor: [1], result: null })),
    stepOf(actOf(1, 'commit'), actOf(2, LONG, { progress: 'completed' })),
  );
  const text = transcript(foldRepeats(told), 100);
  const words = text.replaceAll(/\s+/g, ' ');
  expect(text.match(/\(job_id/g)).toHaveLength(1);
  expect(words).toContain('3 insert into job_claims … as in step 2');
  expect(words).toContain('<… insert completed>');
});

test('a statement with other numbers is cut too, and shows the words around the numbers', () => {
  const other = LONG.replace('1, 2', '1, 7');
  const told = toldOf(stepOf(actOf(1, LONG)), stepOf(actOf(2, other)));
  const words = transcript(foldRepeats(told), 200).replaceAll(/\s+/g, ' ');
  expect(words).toContain('insert into job_claims … select 1, 7 … as in step 1');
});

test('a short statement is never cut', () => {
  const told = toldOf(stepOf(actOf(1, 'begin')), stepOf(actOf(2, 'begin')));
  expect(foldRepeats(told)).toEqual(told);
});
