import { z } from 'zod';
import type { Chapter } from '../chapter.ts';
import type { Exploration } from '../explore/explore.ts';

const proof = z.object({
  schedules: z.number(),
  /** Whether these are all schedules. False if only the first ones were played. */
  isComplete: z.boolean().default(true),
  serializationFailures: z.number(),
  /** In how many schedules each fault was found. */
  faults: z.record(z.string(), z.number()),
  /** The clearest schedule for each fault, such as `1,1,2`. */
  clearest: z.record(z.string(), z.string()),
});
export const verdictRules = z.object({
  /** `holds`, or the verdict word of the gravest fault. */
  verdict: z.string(),
  /** The proofs, by the name of the situation. */
  situations: z.record(z.string(), proof),
});

/** The result of every schedule of two sessions in one situation. */
export type Proof = z.infer<typeof proof>;
export type Verdict = z.infer<typeof verdictRules>;
export type WrittenVerdict = z.input<typeof verdictRules>;

/** The part of an exploration that verdicts.json keeps. `isComplete` is kept only if it is false. */
export function proofOf(exploration: Exploration): z.input<typeof proof> {
  const { schedules, isComplete, serializationFailures, faults, counterexamples } = exploration;
  const clearest = Object.entries(counterexamples).map(([fault, { schedule }]) => [
    fault,
    schedule.join(),
  ]);
  return {
    schedules,
    ...(!isComplete && { isComplete }),
    serializationFailures,
    faults,
    clearest: Object.fromEntries(clearest),
  };
}

/** The verdict word of the gravest fault. `holds` if no fault was found. */
export function verdictOn({ faults }: Chapter, proofs: Pick<Proof, 'faults'>[]): string {
  const gravest = faults.find(({ name }) => proofs.some((each) => (each.faults[name] ?? 0) > 0));
  return gravest?.verdict ?? 'holds';
}
