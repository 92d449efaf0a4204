import type { Situation } from '../chapter.ts';
import { type Addressed, addressOf } from '../chapters/index.ts';
import { Execution } from '../explore/execution.ts';
import { readableStatement } from '../explore/readable.ts';
import type { Stage } from '../explore/stage.ts';

const known = new Map<string, string[]>();

/**
 * The first statement of each session. Empty for a session that sends no statement at once. Nobody
 * knows a statement before its session begins, so each session begins once, alone, in a rehearsal.
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
