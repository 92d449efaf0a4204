import { z } from 'zod';
import type { Exploration } from '../explore/explore.ts';

const finding = z.object({
  schedules: z.number(),
  serializationFailures: z.number(),
  /** In how many schedules each fault was found. */
  faults: z.record(z.string(), z.number()),
  /** For each fault the schedule that shows it best, such as `1,1,2`. */
  clearest: z.record(z.string(), z.string()),
});
export const verdictRules = z.object({
  verdict: z.enum(['holds', 'oversells', 'undersells', 'deadlocks', 'fails']),
  /** What two recruiters came to, by the name of the setting. */
  settings: z.record(z.string(), finding),
});

/** What the explorer found in one setting. */
export type Finding = z.infer<typeof finding>;
export type Verdict = z.infer<typeof verdictRules>;

/** What is worth keeping of an exploration. */
export function findingOf(exploration: Exploration): Finding {
  const { schedules, serializationFailures, faults, counterexamples } = exploration;
  const clearest = Object.entries(counterexamples).map(([fault, { schedule }]) => [
    fault,
    schedule.join(),
  ]);
  return { schedules, serializationFailures, faults, clearest: Object.fromEntries(clearest) };
}

/** The worst that was found, in a word. */
export function inAWord(findings: Pick<Finding, 'faults'>[]): Verdict['verdict'] {
  const has = (fault: string) => findings.some(({ faults }) => (faults[fault] ?? 0) > 0);
  if (has('oversold')) return 'oversells';
  if (has('deadlock')) return 'deadlocks';
  if (has('unsold')) return 'undersells';
  return has('error') || has('hang') || has('untrue') ? 'fails' : 'holds';
}
