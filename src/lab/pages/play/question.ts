import type { ToldChapter } from '../../syllabus/http.ts';
import type { SyllabusEntry } from '../../syllabus/syllabus.ts';

type Proof = SyllabusEntry['situations'][number];
type ToldFault = ToldChapter['faults'][number];
/** A chapter with its faults, the gravest first. */
type Asking = { faults: readonly Pick<ToldFault, 'name' | 'dare'>[] };

/**
 * Returns the fault that the game asks for. This is the gravest fault of any schedule in the
 * situation. If no schedule has a fault, returns the fault that people would suspect in the
 * situation. So the game asks the same question about right and wrong strategies, and the question
 * does not give the verdict away.
 */
export function askedFault({ faults }: Asking, proof: Proof | undefined): Asking['faults'][number] {
  const { faults: found = {}, suspect } = proof ?? {};
  const [gravest] = faults;
  const asked =
    faults.find(({ name }) => (found[name] ?? 0) > 0) ??
    faults.find(({ name }) => name === suspect) ??
    gravest;
  if (!asked) throw new Error('the chapter has no fault');
  return asked;
}

/**
 * Returns the name of the situation in which a strategy is played first. This is the first
 * situation with a fault. The address does not need the name of the default situation. So the name
 * is empty for the default situation, and if no situation has a fault.
 */
export function firstSituation(entry: SyllabusEntry | undefined): string {
  const { situations = [] } = entry ?? {};
  const index = situations.findIndex(({ faults }) => Object.keys(faults).length > 0);
  return index > 0 ? (situations[index]?.name ?? '') : '';
}
