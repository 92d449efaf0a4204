import { z } from 'zod';

/** The page on which a visitor does the lesson, the settings of the page, and the goal. */
export const inBrowserRules = z.discriminatedUnion('page', [
  z.strictObject({
    page: z.literal('play'),
    strategy: z.string(),
    situation: z.string(),
    /**
     * A fault that the schedule must have, or `wait`. With `wait`, a session must have waited for a
     * lock.
     */
    goal: z.string(),
    /**
     * Strategies, with commas between them. The answer shows the maps of all their orders beside
     * each other.
     */
    maps: z
      .string()
      .transform((strategies) => strategies.split(', '))
      .optional(),
  }),
  z.strictObject({
    page: z.literal('explore'),
    strategy: z.string(),
    situation: z.string(),
    /** The goal is that every schedule has been played. */
    goal: z.literal('explored'),
  }),
  z.strictObject({
    page: z.literal('race'),
    strategy: z.string(),
    /** The second strategy of the race. Without this field, one strategy races alone. */
    beside: z.string().optional(),
    recruiters: z.coerce.number().int().min(2).max(50),
    rounds: z.coerce.number().int().min(1).max(20),
    /** A fault that some round must have, or `raced`. With `raced`, the race must be over. */
    goal: z.string(),
  }),
]);

export interface InBrowser {
  /** The goal, in one sentence. */
  goal: string;
  /** More about the goal. */
  more: string;
  setting: Setting;
}

export type Setting = z.infer<typeof inBrowserRules>;

/** Reads the text before the first field. The first paragraph is the goal. */
export function readGoal(text: string): Pick<InBrowser, 'goal' | 'more'> {
  const [goal = '', ...more] = text
    .replace(/^- [\s\S]*/m, '')
    .trim()
    .split(/\n\s*\n/);
  return { goal, more: more.join('\n\n') };
}
