import type { Played } from '../../explorer/explore.ts';
import { isOfTrial } from '../../explorer/trial.ts';
import { databaseError } from '../../platform/db/sqlstate.ts';
import { lineAbout } from './place.ts';

/**
 * Matches the SQLSTATE of an error that comes from a mistake in the SQL: wrong syntax or names
 * (class 42), or wrong values (class 22). Other sessions do not cause such an error.
 */
const MISTAKE = /^(42|22)/;

/**
 * Returns one line about an error in the student's own code, such as `mine.ts:7: TypeError: …`.
 * Returns undefined if no session ended in such an error. A deadlock does not count here, since
 * only the schedule can explain a deadlock.
 */
export function faultOfFile({ endings }: Played, file: string): string | undefined {
  for (const ending of endings) {
    if (!('error' in ending) || isOfTrial(ending.error)) continue;
    const code = databaseError(ending.error)?.code;
    if (code === undefined || MISTAKE.test(code)) return lineAbout(ending.error, file);
  }
  return undefined;
}
