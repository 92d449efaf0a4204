import type { Situation } from '../chapter.ts';
import { type Addressed, addressOf } from '../chapters/index.ts';
import { Execution } from '../explore/execution.ts';
import { readableStatement } from '../explore/readable.ts';
import type { Stage } from '../explore/stage.ts';

const known = new Map<string, string[]>();

/**
 * Returns the first statement of each session, before any session has begun. To learn it, we run
 * the first step of each session once, alone. The text is empty if a session sends no statement in
 * this step.
 */
export async function firstStatements(
  stage: Stage,
  played: Addressed,
  situation: Situation,
  sessions: number,
): Promise<string[]> {
  const name = `${addressOf(played)} ${situation.name} ${sessions}`;
  const statements = known.get(name) ?? [];
  for (let number = statements.length + 1; number <= sessions; number++) {
    const trial = played.chapter.trial(played.strategy, situation, sessions);
    const execution = await Execution.start(stage, trial);
    await execution.step(String(number));
    const [act] = execution.entries[0]?.acts ?? [];
    statements.push(act ? readableStatement(act.step) : '');
  }
  known.set(name, statements);
  return statements;
}
