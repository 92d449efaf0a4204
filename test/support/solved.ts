import { knownVerdicts } from '../../src/lab/syllabus/known-verdicts.ts';

/** The coach says this of a file that holds in as many schedules as the strategy at `address`. */
export function solvedLike(address: string) {
  const proofs = Object.values(knownVerdicts[address]?.situations ?? {});
  const schedules = proofs.reduce((sum, proof) => sum + proof.schedules, 0);
  return `SOLVED. It holds in all ${schedules} schedules.`;
}
