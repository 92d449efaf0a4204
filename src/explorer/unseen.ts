import type { NameOf } from './choice.ts';
import type { Act } from './execution.ts';
import { keepsSnapshot } from './step.ts';
import { type Commit, hasNoRows, namesTable } from './writes.ts';

/** The steps of an act, counted from 0, and the names of the sessions. */
interface Around {
  /** The step of the act's snapshot. */
  taken: number;
  /** The step at which the act ended. */
  at: number;
  nameOf: NameOf;
}

/** Returns the sessions and steps of commits, such as `of S1 at step 3 and of S2 at step 5`. */
export const sayCommits = (commits: readonly Commit[], nameOf: NameOf): string =>
  commits.map(({ session, at }) => `of ${nameOf(session)} at step ${at + 1}`).join(' and ');

/**
 * Says which of these commits the act does not see, because its snapshot is too old. Null if the
 * commits change nothing for the act.
 */
export function sayUnseen(
  act: Act,
  unseen: Commit[],
  { taken, at, nameOf }: Around,
): string | null {
  if (unseen.length === 0) return null;
  const missed = `does not see the commit ${sayCommits(unseen, nameOf)}`;
  if (keepsSnapshot(act.step)) return sayKept(act, missed, taken);
  const before = unseen.find((each) => each.at === at);
  const again = before ? sayCheckedAgain(act, before, nameOf) : null;
  if (!isRead(act)) return hasNoRows(act) ? again : null;
  const subject = readsBySubselect(act.step.text) ? 'its subselect ' : '';
  const misses = `${subject}${missed}, since its snapshot is of step ${taken + 1}, before the wait`;
  return again === null ? misses : `${misses}; ${again}`;
}

/** The first statement takes the snapshot of its whole transaction, even if it reads no table. */
function sayKept(act: Act, missed: string, taken: number): string | null {
  if (isRead(act)) return `${missed}, since its transaction has the snapshot of step ${taken + 1}`;
  const isTakenHere = taken === act.sentAt && /^select\b/i.test(act.step.text);
  return isTakenHere
    ? `takes the snapshot of its transaction before the wait, so the transaction ${missed}`
    : null;
}

/**
 * Says that PostgreSQL checked the locked row again. This happens after a wait, if the commit has
 * changed the row. All other rows come from the snapshot.
 */
function sayCheckedAgain(act: Act, { session, writes }: Commit, nameOf: NameOf): string | null {
  const { text } = act.step;
  const locksRows = LOCK.test(text) || /\b(update|delete from)\s/i.test(text);
  const changes = writes.filter(({ verb, table }) => verb !== 'insert' && namesTable(text, table));
  if (!locksRows || changes.length === 0) return null;
  const deletes = changes.filter(({ verb }) => verb === 'delete').length;
  if (deletes === changes.length) return `${nameOf(session)} has deleted the row`;
  const found = deletes > 0 ? '' : sayFound(act);
  return `the locked row is checked again, as ${nameOf(session)} left it${found}`;
}

/**
 * Says whether the locked row still meets the conditions. Empty if the text of the statement does
 * not tell, because other rows may meet the conditions.
 */
function sayFound(act: Act): string {
  const { text } = act.step;
  if (hasNoRows(act)) return /^(select|update|delete)\b/i.test(text) ? ', and no longer fits' : '';
  return locksWhatItReads(text) && OF_ONE_ROW.test(text) ? ', and still fits' : '';
}

/** Matches a statement without OR whose first condition asks for one row by its id or key. */
const OF_ONE_ROW =
  /^(?!.*\bor\b)(?:[^(]|\(\))*\bwhere \(?(?:"?\w+"?\.)*"?(?:id|key)"? = (?:[$\d'-]|\(\s*select\b)/is;

/**
 * Whether a statement reads a table from its snapshot, such as a write with a subselect. FOR UPDATE
 * reads the newest version of the locked row, unless the transaction keeps its snapshot.
 */
export function isRead({ step }: Act): boolean {
  const { text } = step;
  if (/^with\b/i.test(text)) return true;
  if (!/\bselect\b/i.test(text) || !/\bfrom\b/i.test(text)) return false;
  return keepsSnapshot(step) || !LOCK.test(text) || readsBySubselect(text);
}

/**
 * Whether only a subselect reads from the snapshot, while the statement itself locks the rows that
 * it reads.
 */
const readsBySubselect = (text: string): boolean =>
  locksWhatItReads(text) && /\(\s*select\b/i.test(text);

const locksWhatItReads = (text: string): boolean =>
  /^(update|delete)\b/i.test(text)
    ? !LOCK.test(text)
    : /^select\b/i.test(text) && LOCK.test(withoutParentheses(text));

export const LOCK = /\bfor (no key update|update|share|key share)\b/i;

function withoutParentheses(text: string): string {
  const shorter = text.replace(/\([^()]*\)/g, '');
  return shorter === text ? text : withoutParentheses(shorter);
}
