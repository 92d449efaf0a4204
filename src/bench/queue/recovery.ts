import { PlainError } from '../../process/errors.ts';
import { until } from '../../waiting/until.ts';
import type { ToolProcess } from '../processes.ts';
import type { Figures } from '../rounds.ts';
import { askAll, type Crew } from './crew.ts';
import { LOOK_MS } from './measurements.ts';
import { now } from './tool.ts';

/** How many tasks the killed process holds. */
const HELD = 100;
const PATIENCE_MS = 60_000;

/**
 * Kills the process that holds tasks, and measures the time until another process has begun all of
 * them again. Ends both processes.
 */
export async function measureRecovery(crew: Crew): Promise<Figures> {
  const [killed, other] = crew.processes as [ToolProcess, ToolProcess];
  const begunBy = (each: ToolProcess) => async () =>
    (await each.ask({ kind: 'look' })).begun >= HELD;
  await askAll([killed, other], { kind: 'open', url: crew.url });
  await killed.ask({ kind: 'add', tasks: HELD, hangs: true });
  await killed.ask({ kind: 'work' });
  await until(begunBy(killed), { everyMs: LOOK_MS });
  await other.ask({ kind: 'work' });
  killed.stop();
  const killedAt = now();
  const isBack = await until(begunBy(other), { everyMs: LOOK_MS, withinMs: PATIENCE_MS });
  const ms = now() - killedAt;
  other.stop();
  if (!isBack)
    throw new PlainError(`${crew.name}: the tasks of a killed process did not begin again.`);
  return { ms };
}
