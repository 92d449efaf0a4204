import { z } from 'zod';

const list = z.string().transform((text) => text.split(',').map((each) => each.trim()));

/**
 * The task of a student in a lesson. `starter` is the expected result of the starter file. A test
 * compares `starter` with the actual result.
 */
export const exerciseRules = z.discriminatedUnion('kind', [
  /**
   * The student writes a strategy that has none of these faults in any schedule. The default is all
   * faults.
   */
  z.strictObject({
    kind: z.literal('strategy'),
    chapter: z.string(),
    faults: list.optional(),
    /**
     * The maximum number of schedules of a situation, if all schedules take too long for a lesson.
     */
    most: z.coerce.number().int().optional(),
    /**
     * At the end of the trial, PostgreSQL refuses every insert into this table. The strategy must
     * stop after a limited number of attempts.
     */
    refusing: z.string().optional(),
    starter: z.string(),
  }),
  /** The student writes a strategy that is right as long as one session runs after the other. */
  z.strictObject({
    kind: z.literal('one after another'),
    chapter: z.string(),
    starter: z.string(),
  }),
  /** The student writes a schedule in which a strategy has this fault. */
  z.strictObject({
    kind: z.literal('schedule'),
    strategy: z.string(),
    situation: z.string(),
    fault: z.string(),
    /** The choices with which the schedule must begin, if the lesson prescribes them. */
    begins: list.optional(),
    starter: z.string(),
  }),
]);

export type Exercise = z.infer<typeof exerciseRules>;
export type ExerciseOf<Kind extends Exercise['kind']> = Extract<Exercise, { kind: Kind }>;
