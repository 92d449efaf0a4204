import type { Session } from '../platform/db/session.ts';
import { Gate } from './gate.ts';
import type { Gatekeeper, Guard, IsDoomed } from './gatekeeper.ts';
import type { Stage, StageSession } from './stage.ts';
import type { StepModel } from './step.ts';
import type { Effect, Lend, Program, Sleep } from './trial.ts';

/** A program behind its gate. */
export interface Gated {
  gate: Guard;
  run(sleep: Sleep, effect: Effect): Promise<unknown>;
}

/**
 * Puts a gate between a program and PostgreSQL. A local program gets a database whose session is
 * the gate. A remote program opens its own connections, so `remote.guard` puts the gate on these
 * connections.
 */
export function gateOf(
  stage: Stage,
  { session, pid, remote }: Pick<StageSession, 'session' | 'pid' | 'remote'>,
  program: Program,
  ...[keeper, model, isDoomed]: [Gatekeeper, StepModel, IsDoomed?]
): Gated {
  if (remote) {
    const run: Gated['run'] = (sleep, effect) =>
      remote.run(() => program(stage.databases.over(noLend), sleep, effect, noLend));
    return { gate: remote.guard(keeper, model, isDoomed), run };
  }
  const gate = new Gate(session, keeper, model, isDoomed && (() => isDoomed(pid)));
  const lend: Lend = (use) => gate.lend(use);
  const db = stage.databases.over(lend);
  return { gate, run: (sleep, effect) => program(db, sleep, effect, lend) };
}

export const noLend = (_use: (session: Session) => Promise<unknown>): Promise<never> =>
  Promise.reject(new Error('a remote program has connections of its own, and no db'));
