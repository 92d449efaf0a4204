import { type ClaimSetting, claimScenario } from '../src/lab/chapters/claims/situations.ts';
import type { Strategy } from '../src/lab/chapters/claims/strategy.ts';
import { type Exploration, explore } from '../src/lab/explore/explore.ts';
import { withStage } from './arena.ts';
import { clearProgress, showProgress } from './progress.ts';

export type Result = Exploration & { strategy: Strategy };

/** Two stages at a time: the explorer waits for PostgreSQL, and PostgreSQL for it, in turns. */
const STAGES = 2;

/** Explores each strategy in one setting; the results are in the order of the strategies. */
export async function exploreAll(
  strategies: readonly Strategy[],
  setting: ClaimSetting,
  sessions: number,
  stop: AbortSignal,
): Promise<Result[]> {
  const waiting = [...strategies];
  const results: Result[] = [];
  const worker = () =>
    withStage(stop, async (stage) => {
      for (let strategy = waiting.shift(); strategy; strategy = waiting.shift()) {
        const { name } = strategy;
        const scenario = claimScenario(strategy, setting, sessions);
        const onSchedule = (n: number) => showProgress(`${setting.name}, ${name}: schedule ${n}`);
        results.push({ strategy, ...(await explore(stage, scenario, { onSchedule, stop })) });
      }
    });
  await Promise.all(Array.from({ length: Math.min(STAGES, strategies.length) }, worker));
  clearProgress();
  return strategies.flatMap((strategy) => results.filter((result) => result.strategy === strategy));
}
