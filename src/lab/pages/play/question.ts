import type { ToldChapter } from '../../../lab/syllabus/http.ts';
import type { SyllabusEntry } from '../../../lab/syllabus/syllabus.ts';

type Proof = SyllabusEntry['situations'][number];
type ToldFault = ToldChapter['faults'][number];
/** A chapter with its faults, the gravest first. */
type Asking = { faults: readonly Pick<ToldFault, 'name' | 'dare'>[] };

/**
 * The fault that the person is asked for: the gravest fault that a schedule of this situation has, or
 * else the fault that everybody suspects there. So the same question comes for right and for wrong
 * strategies, and the question does not give the verdict away.
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
 * The situation in which a strategy is played first: the first one with a fault. If there is none, or
 * if it is the default, the address needs no name.
 */
export function firstSituation(entry: SyllabusEntry | undefined): string {
  const { situations = [] } = entry ?? {};
  const index = situations.findIndex(({ faults }) => Object.keys(faults).length > 0);
  return index > 0 ? (situations[index]?.name ?? '') : '';
}
