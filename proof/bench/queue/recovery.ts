import type { ToolProcess } from '../processes.ts';
import type { Figures } from '../rounds.ts';
import { askAll, type Crew } from './crew.ts';
import { now } from './tool.ts';

/** The number of tasks that the killed process holds. */
const HELD = 100;

/**
 * Kills a process that holds tasks, and measures the time until another process has begun all of
 * these tasks again. The tasks do not end, so the crew cannot be used again.
 */
export async function measureRecovery(crew: Crew): Promise<Figures> {
  const [killed, other] = crew.processes as [ToolProcess, ToolProcess];
  const hasBegun = (each: ToolProcess) => async () =>
    (await each.ask({ kind: 'look' })).begun >= HELD;
  await crew.clear();
  await askAll([killed, other], { kind: 'open', url: crew.url });
  await killed.ask({ kind: 'add', tasks: HELD, hangs: true });
  await killed.ask({ kind: 'work' });
  await crew.expectSoon(hasBegun(killed), 'begin all tasks');
  await other.ask({ kind: 'work' });
  killed.stop();
  const killedAt = now();
  await crew.expectSoon(hasBegun(other), 'begin the tasks of a killed process again');
  return { ms: now() - killedAt };
}
