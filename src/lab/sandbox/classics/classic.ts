import type { Experiment } from '../experiment.ts';

/**
 * A well-known fault of concurrent programs: an experiment with the fault, and an experiment
 * without the fault.
 */
export interface Classic {
  name: string;
  title: string;
  /** Says what the programs do. Most stories also give a rule that the programs must keep. */
  story: string;
  fault: 'broken' | 'deadlock';
  broken: Experiment;
  /** The experiment without the fault. */
  fixed: Experiment;
  /** The reason why `fixed` has no fault. */
  lesson: string;
}

/** Returns the texts of two sessions that do the same with different values. */
export const both = (one: (number: number) => string): string[] => [one(1), one(2)];
