import { z } from 'zod';
import type { Exploration } from '../../explorer/explore.ts';
import type { Chapter } from '../chapter.ts';

const proof = z.object({
  schedules: z.number(),
  /** Whether all schedules were played. False if only the first schedules were played. */
  isComplete: z.boolean().default(true),
  serializationFailures: z.number(),
  /** The number of schedules with each fault. */
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

/**
 * Returns the part of an exploration for verdicts.generated.json. Leaves out `isComplete` if it is
 * true.
 */
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

/** Returns the verdict word of the gravest fault, or `holds` if no fault was found. */
export function verdictOn({ faults }: Chapter, proofs: Pick<Proof, 'faults'>[]): string {
  const gravest = faults.find(({ name }) => proofs.some((each) => (each.faults[name] ?? 0) > 0));
  return gravest?.verdict ?? 'holds';
}
