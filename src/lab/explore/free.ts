import { setTimeout as sleep } from 'node:timers/promises';
import { databaseOver } from '../../db/client.ts';
import { inTime } from '../../waiting/deadline.ts';
import { Gate, type Gatekeeper, STEP_MODEL } from './gate.ts';
import type { Stage, StageSession } from './stage.ts';
import { Hang } from './stillness.ts';
import type { Assessment, Effect, Ending, Program, Trial } from './trial.ts';

/** Many sessions together need milliseconds. Only a faulty session needs longer than this. */
const PATIENCE_MS = 10_000;

/** Starts every step at once. */
const openGate: Gatekeeper = { arrive: async () => false, leave: () => {}, dead: () => {} };

const effect: Effect = async (_, act) => act();

/**
 * The free scheduler: every session of the trial runs at full speed, as in production. PostgreSQL
 * and chance decide the order. Throws a `Hang` if a session does not end.
 */
export async function playFree(
  stage: Stage,
  trial: Trial,
): Promise<Assessment & { endings: Ending[] }> {
  const sessions = await stage.sessions(trial.sessions.length);
  await trial.setUp(stage.admin);
  const run = async (program: Program, index: number): Promise<Ending> => {
    const gate = new Gate((sessions[index] as StageSession).session, openGate, STEP_MODEL);
    const db = databaseOver({ lend: (use) => gate.lend(use) }, stage.codecs);
    try {
      return { value: await program(db, sleep, effect) };
    } catch (error) {
      return { error };
    }
  };
  const runAll = async () => {
    const endings = await Promise.all(trial.sessions.map(run));
    const last = trial.afterwards?.(endings);
    if (!last) return endings;
    await stage.passTime();
    await trial.passTime?.();
    await run(last, 0);
    return endings;
  };
  const endings = await inTime(runAll(), PATIENCE_MS, () => undefined);
  if (endings === undefined) {
    await stage.abandon();
    throw new Hang('a session did not end at full speed');
  }
  return { endings, ...(await trial.judge(stage.admin, endings)) };
}
