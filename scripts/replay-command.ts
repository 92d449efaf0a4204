import type { Situation } from '../src/lab/chapter.ts';
import { addressOf } from '../src/lab/chapters/index.ts';
import type { Judged } from '../src/lab/judge/judge.ts';

/**
 * A command that plays the schedule again, as a person pastes it. `source` has the options that name
 * the strategy, if it is none of the lab's.
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
