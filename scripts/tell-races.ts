import { type Costs, describeCosts } from '../src/lab/race/costs.ts';
import type { RaceOrder, RaceResult, Round, StrategyInfo } from '../src/lab/race/race.ts';
import {
  brokePromise,
  describeRace,
  describeResults,
  describeRound,
  describeVerdict,
  type RequestChapter,
  showedNothing,
} from '../src/lab/race/report.ts';
import { print } from '../src/platform/process/print.ts';
import { clearProgress, showProgress } from '../src/platform/process/progress.ts';
import { paint } from './paint.ts';

export type OnRound = (round: Round, done: number) => void;

interface Told {
  order: RaceOrder;
  json: boolean;
  /** The costs of each strategy. `run` adds to this list. Undefined if no costs are wanted. */
  costs?: Costs[] | undefined;
}

/** Runs a race of each strategy, and prints what happens. */
export async function tellRaces(
  chapter: RequestChapter,
  chosen: StrategyInfo[],
  { order, json, costs }: Told,
  run: (strategy: StrategyInfo, onRound: OnRound) => Promise<RaceResult>,
): Promise<RaceResult[]> {
  const say = (text: string) => {
    if (!json) print(`${text}\n`);
  };
  const results: RaceResult[] = [];
  say(describeRace(chapter, order));
  for (const strategy of chosen) {
    let worst: Round | undefined;
    const onRound: OnRound = (round, done) => {
      const { taken } = round.standing;
      if (worst === undefined || taken > worst.standing.taken) worst = round;
      showProgress(`${strategy.name}: round ${done} of ${order.rounds}`);
    };
    results.push(await run(strategy, onRound));
    clearProgress();
    if (worst && (strategy === chosen[0] || strategy === chosen.at(-1)))
      say(describeRound(chapter, strategy.name, worst, paint));
  }
  if (json) print(`${JSON.stringify({ ...asJson(order, results), costs })}\n`);
  say(describeResults(chapter, results, chosen, order, paint));
  if (costs) say(describeCosts(costs));
  say(describeVerdict(chapter, results, order, paint));
  return results;
}

const asJson = ({ capacity, sessions, rounds }: RaceOrder, strategies: RaceResult[]) => ({
  capacity,
  recruiters: sessions,
  rounds,
  strategies,
});

/** The exit code of a race that shows nothing, for example because no session got a slot. */
const FAILED = 2;

export function exitCodeOf(chapter: RequestChapter, results: RaceResult[]): number {
  if (results.some((each) => brokePromise(chapter, each))) return 1;
  return results.some(showedNothing) ? FAILED : 0;
}
