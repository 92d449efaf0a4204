import { z } from 'zod';

const list = z.string().transform((text) => text.split(',').map((each) => each.trim()));

/**
 * What a student does in a lesson. `starter` is the result of the starter, so a test can compare the two.
 */
export const exerciseRules = z.discriminatedUnion('kind', [
  /** Write a strategy that has none of these faults in any schedule. The default is all faults. */
  z.strictObject({
    kind: z.literal('strategy'),
    chapter: z.string(),
    faults: list.optional(),
    /** The most schedules of a situation, if all of them take too long for a lesson. */
    most: z.coerce.number().int().optional(),
    /** The table whose inserts are refused at the end. The tries of the strategy must have a bound. */
    refusing: z.string().optional(),
    starter: z.string(),
  }),
  /** Write a strategy that is right as long as one session runs after the other. */
  z.strictObject({
    kind: z.literal('one after another'),
    chapter: z.string(),
    starter: z.string(),
  }),
  /** Write a schedule in which a strategy has this fault. */
  z.strictObject({
    kind: z.literal('schedule'),
    strategy: z.string(),
    situation: z.string(),
    fault: z.string(),
    /** The first choices of the schedule, if they are given. */
    begins: list.optional(),
    starter: z.string(),
  }),
]);

export type Exercise = z.infer<typeof exerciseRules>;
export type ExerciseOf<Kind extends Exercise['kind']> = Extract<Exercise, { kind: Kind }>;
