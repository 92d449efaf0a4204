import { beforeAll, describe, expect, test } from 'vitest';
import { replay } from '../../../src/explorer/explore.ts';
import type { Stage } from '../../../src/explorer/stage.ts';
import { tell } from '../../../src/explorer/tell.ts';
import { type PlayState, play } from '../../../src/lab/play/play.ts';
import { addressed, situationNamed, trialOf } from '../../support/claims-chapter.ts';
import { makeStage } from '../../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await makeStage();
});

const situation = situationNamed('last-slot');
const stepsOf = (schedule: string) => (schedule ? schedule.split(',') : []);

const playIt = (played: ReturnType<typeof addressed>, schedule: string, sessions = 2) =>
  play(stage, { ...played, situation, sessions, schedule: stepsOf(schedule) });

async function stateOf(name: string, schedule: string, sessions = 2): Promise<PlayState> {
  const state = await playIt(addressed(name), schedule, sessions);
  if (typeof state === 'string') throw new Error(state);
  return state;
}

describe('the state of a schedule', () => {
  test('before the first step, each session shows its first statement', async () => {
    const { sessions, choices, told, committed, isOver } = await stateOf('row-lock', '', 3);
    for (const { status, statement } of sessions) {
      expect(status).toBe('ready');
      expect(statement).toMatch(/^select … from jobs .* for update$/);
    }
    expect(choices).toEqual(['1', '2', '3']);
    expect([told.steps, told.endings]).toEqual([[], [null, null, null]]);
    expect(committed.summary).toBe('3 claims committed, 4 slots');
    expect(committed.marks.map(({ by }) => by)).toEqual([
      'earlier',
      'earlier',
      'earlier',
      'nobody',
    ]);
    expect(isOver).toBe(false);
  });

  test('naive oversells, and each step shows the committed claims', async () => {
    const before = await stateOf('naive', '1,2,1,2');
    expect(before.sessions.map(({ statement }) => statement)).toEqual(['commit', 'commit']);
    expect(before.committed.detail).toBe('3 from before');
    expect(before.verdict).toBeNull();
    const half = await stateOf('naive', '1,2,1,2,1');
    expect(half.committed.detail).toBe('3 from before, Recruiter 1');
    expect(half.told.endings).toEqual(['claimed', null]);
    const over = await stateOf('naive', '1,2,1,2,1,2');
    expect(over.verdict).toBe('oversold: 5 claims, 4 slots');
    expect(over.committed.detail).toBe('3 from before, Recruiter 1, Recruiter 2');
    expect(over.committed.marks.at(-1)).toEqual({ by: 2, isExcess: true });
    expect([over.choices, over.isOver]).toEqual([[], true]);
  });

  test('under row-lock the second session waits for the first session, and is then refused', async () => {
    const waiting = await stateOf('row-lock', '1,2');
    expect(waiting.choices).toEqual(['1']);
    expect(waiting.sessions[1]).toMatchObject({ status: 'waiting', waitsFor: [1] });
    expect(waiting.sessions[1]?.statement).toMatch(/for update$/);
    const over = await stateOf('row-lock', '1,2,1,1,1,2,2');
    expect(over.told.endings).toEqual(['claimed', 'full']);
    expect(over.verdict).toBe('4 claims, 4 slots');
  });

  test('a deadlock is shown with its circle of sessions and its victim', async () => {
    const before = await stateOf('insert-then-lock', '1,2,1');
    expect(before.deadlock).toBeNull();
    const { deadlock, sessions } = await stateOf('insert-then-lock', '1,2,1,2');
    expect(deadlock).toEqual({ step: 4, cycle: [2, 1], victim: 2 });
    expect(sessions[1]).toMatchObject({ statement: 'rollback', transaction: { hasFailed: true } });
  });

  test('a session that waits in memory differs from a session that sleeps until time passes', async () => {
    const { sessions } = await stateOf('mutex', '1,2');
    expect(sessions.map(({ status }) => status)).toEqual(['ready', 'elsewhere']);
    const asleep = await stateOf('lease', '1,1,2,2');
    expect(asleep.sessions[1]?.status).toBe('asleep');
    expect(asleep.choices).toEqual(['1', 't']);
  });

  test('the transcript is the same as in a replay of the schedule', async () => {
    for (const [name, schedule] of [
      ['stale-snapshot', '1,1,1,2,1,2,2,2'],
      ['insert-then-lock', '1,2,1,2'],
    ] as const) {
      const replayed = tell(await replay(stage, trialOf(name), stepsOf(schedule)));
      const { told, isOver } = await stateOf(name, replayed.schedule.join());
      expect(isOver).toBe(true);
      expect(told).toEqual(replayed);
    }
  });

  test('the transcript of the first steps is the beginning of the whole transcript', async () => {
    const part = await stateOf('stale-snapshot', '1,1,1,2');
    const whole = await stateOf('stale-snapshot', '1,1,1,2,1,2,2,2');
    expect(whole.told.transcript.startsWith(part.told.transcript)).toBe(true);
  });
});

describe('an impossible schedule', () => {
  test('gets an answer with the impossible step and the possible choices', async () => {
    expect(await playIt(addressed('row-lock'), '1,2,2')).toBe(
      'Step 3 of the schedule is 2. The choices there: 1.',
    );
    expect(await playIt(addressed('naive'), '1,1,1,2,1')).toBe(
      'Step 5 of the schedule is 1. The choices there: none.',
    );
  });

  test('does not change the next play', async () => {
    await playIt(addressed('mutex'), '1,2,2');
    const { sessions } = await stateOf('mutex', '2');
    expect(sessions.map(({ status }) => status)).toEqual(['ready', 'ready']);
  });
});
