import type { Situation } from '../src/lab/chapter.ts';
import { addressOf } from '../src/lab/chapters/index.ts';
import type { Judged } from '../src/lab/judge/judge.ts';

/**
 * Returns a command line that plays the schedule again. For a strategy that is not in the lab,
 * `source` has the options that name the strategy.
 */
export function replayCommand(
  { chapter, strategy }: Judged,
  situation: Pick<Situation, 'name'>,
  schedule: string,
  source: readonly string[] = [addressOf({ chapter, strategy })],
): string {
  const isFirst = chapter.situationsOf(strategy)[0].name === situation.name;
  const where = isFirst ? [] : ['--situation', situation.name];
  return ['npm run replay --', ...source, schedule, ...where].join(' ');
}
