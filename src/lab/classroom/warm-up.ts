import type { Chapter } from '../chapter.ts';
import { claims } from '../chapters/claims/index.ts';
import { play } from '../play/play.ts';
import { hasRequests } from '../race/report.ts';
import { runRounds } from '../race/rounds/rounds.ts';
import { type LabStages, PLAY_LIMITS } from '../stages/lab-stages.ts';

/**
 * Makes the stages for plays and races, and uses each of them once. A stage takes half a second to
 * make. A class that begins together would wait for the stages together.
 */
export async function warmUp(stages: LabStages) {
  const [strategy] = claims.strategies;
  const chapter: Chapter = claims;
  if (!strategy || !hasRequests(chapter)) throw new Error('the chapter of claims has no race');
  const [situation] = claims.situationsOf(strategy);
  const request = { chapter: claims, strategy, situation, sessions: 2, schedule: [] };
  const plays = Array.from({ length: PLAY_LIMITS.places }, () =>
    stages.plays.use((stage) => play(stage, request)),
  );
  const race = stages.rounds.use((stage) =>
    runRounds(
      stage,
      { chapter, strategies: [strategy] },
      { sessions: 8, capacity: 4, rounds: 1 },
      () => undefined,
      new AbortController().signal,
    ),
  );
  await Promise.all([...plays, race]);
}
