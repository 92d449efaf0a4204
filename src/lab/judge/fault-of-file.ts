import { databaseError } from '../../db/sqlstate.ts';
import type { Played } from '../explore/explore.ts';
import { isOfTrial } from '../explore/trial.ts';
import { lineAbout } from './place.ts';

/**
 * Errors of PostgreSQL that come from a mistake in the SQL, and not from other sessions: wrong syntax or
 * names (class 42), and wrong values (class 22).
 */
const MISTAKE = /^(42|22)/;

/**
 * One line about an error in the student's own code, such as `mine.ts:7: TypeError: …`. Undefined if no
 * session ended in such an error. A deadlock is no such error: the schedule has to show it.
 */
export function faultOfFile({ endings }: Played, file: string): string | undefined {
  for (const ending of endings) {
    if (!('error' in ending) || isOfTrial(ending.error)) continue;
    const code = databaseError(ending.error)?.code;
    if (code === undefined || MISTAKE.test(code)) return lineAbout(ending.error, file);
  }
  return undefined;
}
