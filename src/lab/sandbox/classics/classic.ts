import type { Experiment } from '../experiment.ts';

/** A well-known fault of concurrent programs: an experiment with the fault, and one without it. */
export interface Classic {
  name: string;
  title: string;
  /** The aim of the program, and a point to look at. */
  story: string;
  fault: 'broken' | 'deadlock';
  broken: Experiment;
  /** The right answer. */
  fixed: Experiment;
  /** Why the right answer holds. */
  lesson: string;
}

/** The texts of two sessions that do the same for different values. */
export const both = (one: (number: number) => string): string[] => [one(1), one(2)];
