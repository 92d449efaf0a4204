import { z } from 'zod';
import { chapters } from '../src/lab/chapters/index.ts';
import { aFile } from '../src/platform/process/callers-file.ts';
import { whole } from '../src/platform/process/command.ts';
import { situationsOf } from './chosen.ts';

/** The option may be given several times, and each time it may name several strategies. */
export const strategyOption = {
  value: 'NAME',
  type: z.array(z.string()).transform((all) => all.flatMap((names) => names.split(','))),
  words:
    'a strategy such as claims/naive or naive, or all, or claims/all; several have commas between them, or an option each',
  isRepeatable: true,
};

export const fileOption = {
  ...aFile,
  words:
    'in place of a named strategy: the strategy in a TypeScript file of your own\n(npm run judge -- --help says what the file exports)',
};

export const situationOption = {
  value: 'NAME',
  type: z.string(),
  words: ['a situation of the chapter, by default the first', ...chapters.map(situationsIn)].join(
    '\n',
  ),
};

function situationsIn(chapter: (typeof chapters)[number]): string {
  const names = situationsOf(chapter).map(({ name }) => name);
  return `${chapter.name}: ${names.join(', ')}`;
}

export const sessionsOption = {
  ...whole(2, 3),
  default: 2,
  words: 'sessions at once; three take long, and some situations have their own number',
};

/**
 * The limits for the schedules of an exploration, in situations that may have very many schedules.
 */
export const mostInHelp = [...new Set(chapters.flatMap(situationsOf).map(({ most }) => most))]
  .filter((most) => most !== undefined)
  .join(' or ');

/** Returns an option that names one scenario. The option may be given several times. */
export const scenarioOption = <const Names extends readonly string[]>(names: Names) => ({
  value: 'NAME',
  type: z.array(z.enum(names, `must be one of ${names.join(', ')}`)),
  range: names.join(', '),
  words: 'a scenario; may be given several times',
  isRepeatable: true,
});
