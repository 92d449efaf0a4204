import { Execution } from '../../explorer/execution.ts';
import type { Stage } from '../../explorer/stage.ts';
import type { Step } from '../../explorer/step.ts';
import { inAnyOrder } from '../../explorer/trial.ts';
import type { Situation } from '../chapter.ts';
import { type Addressed, addressOf } from '../chapters/index.ts';

const known = new Map<string, (Step | undefined)[]>();

/**
 * Returns the first step of each session, before any session has begun. To learn the first step of
 * a session, we run only this step once. A step is undefined if the session only waits in memory in
 * this step.
 */
export async function firstSteps(
  stage: Stage,
  played: Addressed,
  situation: Situation,
  sessions: number,
): Promise<(Step | undefined)[]> {
  const name = `${addressOf(played)} ${situation.name} ${sessions}`;
  const steps = known.get(name) ?? [];
  for (let number = steps.length + 1; number <= sessions; number++) {
    const trial = played.chapter.trial(played.strategy, situation, sessions);
    const execution = await Execution.start(stage, inAnyOrder(trial));
    await execution.step(firstChoice(execution, number));
    const [act] = execution.entries[0]?.acts ?? [];
    steps.push(act?.step);
  }
  known.set(name, steps);
  return steps;
}

/**
 * Returns the choice of the session's first step. A step that answers the client has a separate
 * choice.
 */
const firstChoice = (execution: Execution, number: number): string =>
  execution.choices().find((choice) => choice === `.${number}`) ?? String(number);
