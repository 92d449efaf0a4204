import { type ClaimSetting, claimScenario } from '../chapters/claims/situations.ts';
import type { Strategy } from '../chapters/claims/strategy.ts';
import { Execution } from '../explore/execution.ts';
import { readableStatement } from '../explore/readable.ts';
import type { Stage } from '../explore/stage.ts';

const known = new Map<string, string[]>();

/**
 * What each of so many sessions says first; empty for one that says nothing at once. Nobody knows before it has begun, so each begins once,
 * alone, in a rehearsal.
 */
export async function firstStatements(
  stage: Stage,
  strategy: Strategy,
  setting: ClaimSetting,
  sessions: number,
): Promise<string[]> {
  const name = `${strategy.name} ${setting.name} ${sessions}`;
  const statements = known.get(name) ?? [];
  for (let number = statements.length + 1; number <= sessions; number++) {
    const execution = await Execution.start(stage, claimScenario(strategy, setting, sessions));
    await execution.step(String(number));
    const [act] = execution.entries[0]?.acts ?? [];
    statements.push(act ? readableStatement(act.step) : '');
  }
  known.set(name, statements);
  return statements;
}
