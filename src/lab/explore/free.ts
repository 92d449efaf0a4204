import { setTimeout as sleep } from 'node:timers/promises';
import { databaseOver } from '../../db/client.ts';
import { inTime } from '../../waiting/deadline.ts';
import { Gate, type Gatekeeper, STEP_MODEL } from './gate.ts';
import type { Stage } from './stage.ts';
import { Hang } from './stillness.ts';
import type { Assessment, Ending, Trial } from './trial.ts';

/** Many sessions together need milliseconds. Only a faulty session needs longer than this. */
const PATIENCE_MS = 10_000;

/** Starts every step at once. */
const openGate: Gatekeeper = { arrive: async () => {}, leave: () => {} };

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
  const programs = sessions.map(async ({ session }, index): Promise<Ending> => {
    const gate = new Gate(session, openGate, STEP_MODEL);
    const db = databaseOver({ lend: (use) => gate.lend(use) }, stage.codecs);
    try {
      return { value: await trial.sessions[index]?.(db, sleep) };
    } catch (error) {
      return { error };
    }
  });
  const endings = await inTime(Promise.all(programs), PATIENCE_MS, () => undefined);
  if (endings === undefined) {
    await stage.abandon();
    throw new Hang('a session did not end at full speed');
  }
  return { endings, ...(await trial.judge(stage.admin, endings)) };
}
