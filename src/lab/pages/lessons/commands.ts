import { FROM_THE_END, HOME, type Place } from '../place.ts';

/** A link to a page that does the same as a command. */
export interface Way {
  label: string;
  place: Place;
}

interface Options {
  /** The words before the first option. */
  words: string[];
  /** The values of each option, in their order. */
  values: Record<string, string[]>;
}

/**
 * Returns links to the pages that do the same as a command of a lesson. Empty if there is no such
 * page.
 */
export function waysOf(command: string, lesson: number): Way[] {
  const [, program = '', rest = ''] = /^npm run ([\w-]+) -- (.+)$/.exec(command) ?? [];
  const options = optionsOf(rest);
  const { situation: [situation = HOME.situation] = [] } = options.values;
  const here = { ...HOME, lesson, situation };
  return programs[program]?.(options, here) ?? [];
}

const programs: Record<string, (options: Options, here: Place) => Way[]> = {
  explore: ({ values: { strategy = [] } }, here) =>
    strategy.map((each) => ({
      label: `Explore ${each}`,
      place: { ...here, view: 'explore', strategy: each, step: FROM_THE_END },
    })),
  replay: ({ words: [strategy = '', schedule = ''] }, here) => [
    {
      label: `Replay ${strategy}`,
      place: { ...here, view: 'play', strategy, schedule: schedule.split(',') },
    },
  ],
  'race-demo': ({ values: { strategy = [], recruiters = [] } }, here) =>
    pairsOf(strategy).map(([one = '', beside = '']) => ({
      label: beside ? `Race ${one} and ${beside}` : `Race ${one}`,
      place: {
        ...here,
        view: 'race',
        strategy: one,
        beside,
        recruiters: Number(recruiters[0]) || HOME.recruiters,
      },
    })),
};

/** Splits the strategies into pairs, because the page Race has two strategies at a time. */
const pairsOf = (strategies: string[]): string[][] =>
  strategies.flatMap((_, index) => (index % 2 ? [] : [strategies.slice(index, index + 2)]));

function optionsOf(text: string): Options {
  const [before = '', ...options] = text.split(/\s*--(?=\w)/);
  const values: Options['values'] = {};
  for (const option of options) {
    const [name = '', ...value] = option.trim().split(/\s+/);
    // In the commands of the lessons, only lists of strategies have commas.
    values[name] = [...(values[name] ?? []), ...value.join(' ').split(',')];
  }
  return { words: before.split(/\s+/).filter((word) => word !== ''), values };
}
