import type { Execution } from '../../explorer/execution.ts';
import { History } from '../../explorer/history.ts';
import type { Stage } from '../../explorer/stage.ts';
import { type Isolation, keepsSnapshot, type Step } from '../../explorer/step.ts';
import { arrayOf } from '../../platform/db/array-text.ts';

/** The open transaction of a session. */
export interface OpenTransaction {
  isolation: Isolation;
  /**
   * The step, from 1, whose snapshot the transaction keeps. Null if each statement takes a new
   * snapshot.
   */
  snapshotOfStep: number | null;
  /** Whether a statement of the transaction has failed. Then the transaction can only roll back. */
  hasFailed: boolean;
}

/** Reads the open transaction of each session. Null if the session has no open transaction. */
export async function readTransactions(
  stage: Stage,
  { pids, entries, actors }: Execution,
): Promise<(OpenTransaction | null)[]> {
  const rows = await stage.run(OPEN, [arrayOf(pids)]);
  const open = new Map((rows as unknown as Open[]).map(({ pid, failed }) => [pid, failed]));
  const acts = entries.flatMap((entry, at) => entry.acts.map((act) => ({ act, at })));
  const history = new History();
  for (const { act, at } of acts) history.note(act, at);
  return pids.map((pid, index) => {
    const number = index + 1;
    const last = acts.findLast(({ act }) => act.session === number)?.act.step;
    const step: Step | undefined = actors[index]?.step ?? last;
    const hasFailed = open.get(pid);
    if (hasFailed === undefined || !step) return null;
    const kept = keepsSnapshot(step) ? history.kept(number) : undefined;
    const snapshotOfStep = kept === undefined ? null : kept + 1;
    return { isolation: step.isolation, snapshotOfStep, hasFailed };
  });
}

interface Open {
  pid: number;
  failed: boolean;
}

const OPEN = `select pid, state = 'idle in transaction (aborted)' as failed from pg_stat_activity
  where pid = any($1::int[]) and state <> 'idle'`;
