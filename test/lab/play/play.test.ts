import { beforeAll, describe, expect, test } from 'vitest';
import type { ClaimStrategy } from '../../../src/lab/chapters/claims/strategy.ts';
import { replay } from '../../../src/lab/explore/explore.ts';
import type { Stage } from '../../../src/lab/explore/stage.ts';
import { tell } from '../../../src/lab/explore/tell.ts';
import { type PlayState, play } from '../../../src/lab/play/play.ts';
import { addressed, situationNamed, strategyNamed, trialOf } from '../../support/claims-chapter.ts';
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
  test('before the first step, each session shows what it will say first', async () => {
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

  test('naive is oversold step by step', async () => {
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

  test('row-lock lets the second session wait for the first, and refuses it afterwards', async () => {
    const waiting = await stateOf('row-lock', '1,2');
    expect(waiting.choices).toEqual(['1']);
    expect(waiting.sessions[1]).toMatchObject({ status: 'waiting', waitsFor: [1] });
    expect(waiting.sessions[1]?.statement).toMatch(/for update$/);
    const over = await stateOf('row-lock', '1,2,1,1,1,2,2');
    expect(over.told.endings).toEqual(['claimed', 'full']);
    expect(over.verdict).toBe('4 claims, 4 slots');
  });

  test('a deadlock has its circle and its victim, as PostgreSQL names them', async () => {
    const before = await stateOf('insert-then-lock', '1,2,1');
    expect(before.deadlock).toBeNull();
    const { deadlock, sessions } = await stateOf('insert-then-lock', '1,2,1,2');
    expect(deadlock).toEqual({ step: 4, cycle: [2, 1], victim: 2 });
    expect(sessions[1]).toMatchObject({ statement: 'rollback', transaction: { hasFailed: true } });
  });

  test('who waits in memory, and who sleeps until time passes, is told apart', async () => {
    const { sessions } = await stateOf('mutex', '1,2');
    expect(sessions.map(({ status }) => status)).toEqual(['ready', 'elsewhere']);
    const asleep = await stateOf('lease', '1,1,2,2');
    expect(asleep.sessions[1]?.status).toBe('asleep');
    expect(asleep.choices).toEqual(['1', 't']);
  });

  test('its transcript is the one that a replay prints', async () => {
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

  test('the transcript of a part is the beginning of that of the whole', async () => {
    const part = await stateOf('stale-snapshot', '1,1,1,2');
    const whole = await stateOf('stale-snapshot', '1,1,1,2,1,2,2,2');
    expect(whole.told.transcript.startsWith(part.told.transcript)).toBe(true);
  });
});

describe('a schedule that cannot be', () => {
  test('says at which step, and what could be chosen there', async () => {
    expect(await playIt(addressed('row-lock'), '1,2,2')).toBe(
      'Step 3 of the schedule is 2. The choices there: 1.',
    );
    expect(await playIt(addressed('naive'), '1,1,1,2,1')).toBe(
      'Step 5 of the schedule is 1. The choices there: none.',
    );
  });

  test('leaves nothing behind for the next one', async () => {
    await playIt(addressed('mutex'), '1,2,2');
    const { sessions } = await stateOf('mutex', '2');
    expect(sessions.map(({ status }) => status)).toEqual(['ready', 'ready']);
  });
});

test('a strategy that never ends is told as a hang, within seconds', async () => {
  const claim: ClaimStrategy['claim'] = () => new Promise(() => undefined);
  const strategy = { ...strategyNamed('naive'), name: 'hangs', claim };
  const state = await playIt({ ...addressed('naive'), strategy }, '1,2');
  expect(state).toMatchObject({
    isOver: true,
    choices: [],
    verdict: 'hang: S1 and S2 never ended',
  });
  expect((await stateOf('naive', '1')).choices).toEqual(['1', '2']);
});
