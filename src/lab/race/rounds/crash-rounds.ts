import { readableStatement } from '../../../explorer/readable.ts';
import type { Stage } from '../../../explorer/stage.ts';
import {
  addCrashRound,
  type CrashChapter,
  type CrashRound,
  newCrashResult,
  playRound,
} from '../crashes/crashes.ts';
import {
  describeCrashResults,
  describeCrashRound,
  describeCrashVerdict,
  sayCrashResults,
} from '../crashes/report.ts';
import type { RaceOrder } from '../race.ts';
import { describeRace } from '../report.ts';
import type { Lane, Span } from './lanes.ts';
import type { SeenRound } from './round.ts';
import type { Field, RaceTold } from './rounds.ts';

/**
 * Races strategies whose processes are killed at random. The strategies take turns, with one round
 * each. Once `stop` is aborted, no further round begins, and the result is undefined.
 */
export async function runCrashRounds(
  stage: Stage,
  { chapter, strategies }: Field<CrashChapter>,
  order: RaceOrder,
  onRound: (round: SeenRound) => void,
  stop: AbortSignal,
): Promise<RaceTold | undefined> {
  const results = strategies.map(({ name, promise }) => ({
    ...newCrashResult(chapter.name, name, promise),
    worst: 0,
    statuses: {},
  }));
  for (let round = 1; round <= order.rounds; round++) {
    for (const [index, strategy] of strategies.entries()) {
      if (stop.aborted) return undefined;
      const played = await playRound(stage, chapter, strategy, order);
      const result = results[index];
      if (result) addCrashRound(result, played);
      onRound(seenOf(chapter, strategy.name, round, order, played));
    }
  }
  return {
    results,
    sentences: sayCrashResults(chapter, results, order),
    transcript: [
      describeRace(chapter, order),
      describeCrashResults(chapter, results, strategies, order),
      describeCrashVerdict(chapter, results, order),
    ].join('\n'),
  };
}

function seenOf(
  chapter: CrashChapter,
  strategy: string,
  round: number,
  order: RaceOrder,
  played: CrashRound,
): SeenRound {
  const { capacity, sessions } = order;
  const { faults, summary, counts } = played;
  const lanes = Array.from({ length: sessions }, (_, index) => laneOf(index + 1, played));
  return {
    strategy,
    round,
    capacity,
    taken: counts[chapter.race.counts[0] ?? ''] ?? 0,
    faults,
    summary,
    milliseconds: Math.max(0, ...lanes.map(({ to }) => to)),
    lanes,
    transcript: describeCrashRound(chapter, strategy, played, order),
  };
}

function laneOf(session: number, { seen, began, endings }: CrashRound): Lane {
  const spanOf = ({ from, to }: Span): Span => ({ from: from - began, to: to - began });
  const statements = seen
    .filter((each) => each.session === session)
    .map(({ statement, text, ...span }) => ({
      ...spanOf(span),
      ...(statement ? { text: readableStatement(statement) } : { text, isEffect: true as const }),
    }));
  const ending = endings[session - 1];
  const hasDied = ending !== undefined && 'died' in ending;
  return {
    session,
    status: ending && 'value' in ending ? 200 : 500,
    ...(hasDied && { hasDied }),
    from: 0,
    to: statements.at(-1)?.to ?? 0,
    statements,
    waits: [],
  };
}
