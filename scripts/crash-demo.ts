import type { Strategy } from '../src/lab/chapter.ts';
import {
  type CrashChapter,
  type CrashResult,
  type CrashRound,
  raceWithCrashes,
} from '../src/lab/race/crashes/crashes.ts';
import {
  describeCrashResults,
  describeCrashRound,
  describeCrashVerdict,
} from '../src/lab/race/crashes/report.ts';
import type { RaceOrder } from '../src/lab/race/race.ts';
import { brokePromise, describeRace } from '../src/lab/race/report.ts';
import { print } from '../src/platform/process/print.ts';
import { clearProgress, showProgress } from '../src/platform/process/progress.ts';
import { withStage } from './arena.ts';
import { paint } from './paint.ts';

/** Races strategies whose processes are killed at random, and returns the exit code. */
export async function raceCrashes(
  chapter: CrashChapter,
  strategies: readonly Strategy[],
  order: RaceOrder,
  { json, stop }: { json: boolean; stop: AbortSignal },
): Promise<number> {
  const say = (text: string) => {
    if (!json) print(`${text}\n`);
  };
  const results: CrashResult[] = [];
  await withStage(stop, async (stage) => {
    say(describeRace(chapter, order));
    for (const strategy of strategies) {
      let told: CrashRound | undefined;
      const onRound = (round: CrashRound, done: number) => {
        if (told === undefined || (told.faults.length === 0 && round.faults.length > 0))
          told = round;
        showProgress(`${strategy.name}: round ${done} of ${order.rounds}`);
      };
      results.push(await raceWithCrashes(stage, chapter, strategy, order, onRound, stop));
      clearProgress();
      if (told && [strategies[0], strategies.at(-1)].includes(strategy))
        say(describeCrashRound(chapter, strategy.name, told, order, paint));
    }
  });
  const { sessions, capacity, rounds } = order;
  const { many } = chapter.session;
  const size = { [many]: sessions, [chapter.race.capacityOption]: capacity, rounds };
  if (json) print(`${JSON.stringify({ ...size, strategies: results })}\n`);
  say(describeCrashResults(chapter, results, strategies, order, paint));
  say(describeCrashVerdict(chapter, results, order, paint));
  if (results.some((each) => brokePromise(chapter, each))) return 1;
  return results.every(({ killed }) => killed === 0) ? 2 : 0;
}
