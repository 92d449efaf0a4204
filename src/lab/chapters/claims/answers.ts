import type { Session } from '../../../platform/db/session.ts';
import type { Assessment, Ending } from '../../chapter.ts';
import { faultsOf } from './faults.ts';
import { FIRST_HOLDER, holdersElsewhere, JOB } from './rows.ts';
import type { ClaimSituation } from './situations.ts';
import { counted } from './state.ts';

/** An answer to a recruiter. The kind is undefined if the strategy returned no known outcome. */
export interface RecruiterAnswer {
  recruiter: number;
  kind: AnswerKind | undefined;
}

/** Compares the answers with the claims in the table, and returns the faults. */
export async function assess(
  admin: Session,
  situation: ClaimSituation,
  answers: RecruiterAnswer[],
): Promise<Assessment> {
  const { capacity, taken, releases } = situation;
  const text = 'select job_id::int as job, recruiter_id::int as id from job_claims order by id';
  const rows = await admin.run({ text, params: [], asArrays: false });
  const all = rows as unknown as { job: number; id: number }[];
  const holders = all.filter(({ job }) => job === JOB).map(({ id }) => id);
  const elsewhere = all.filter(({ job }) => job !== JOB).map(({ id }) => id);
  const isElsewhereIntact = elsewhere.join() === holdersElsewhere(situation).join();
  const earlier = Array.from({ length: taken }, (_, index) => FIRST_HOLDER + index);
  if (releases) earlier.shift();
  const isTrue =
    isElsewhereIntact &&
    earlier.every((id) => holders.includes(id)) &&
    answers.every(({ recruiter }) => fits(holders, recruiter, answers));
  const claims = holders.length;
  const refused = answers.filter(({ kind }) => kind !== 'claimed' && kind !== 'duplicate').length;
  const changed = isElsewhereIntact ? '' : ', and the claims of another job have changed';
  return {
    faults: faultsOf({ capacity, claims, refused, isTrue }),
    summary: `${counted(claims, 'claim')}, ${counted(capacity, 'slot')}${changed}`,
  };
}

/**
 * Returns whether the table agrees with all answers to this recruiter. A recruiter who holds the
 * job must have received `claimed` exactly once. After `error` or `unknown`, the claim may be in
 * the table or not.
 */
function fits(holders: number[], recruiter: number, answers: RecruiterAnswer[]): boolean {
  const kinds = answers.filter((told) => told.recruiter === recruiter).map(({ kind }) => kind);
  if (kinds.includes(undefined)) return false;
  if (kinds.includes('error') || kinds.includes('unknown')) return true;
  const claimed = kinds.filter((kind) => kind === 'claimed').length;
  if (holders.includes(recruiter)) return claimed === 1;
  return claimed === 0 && !kinds.includes('duplicate');
}

const KINDS = [
  'claimed',
  'duplicate',
  'full',
  'no-such-job',
  'no-such-recruiter',
  'busy',
  'unknown',
] as const;

type AnswerKind = (typeof KINDS)[number] | 'error';

/**
 * Returns the kinds of the outcomes of a session. Returns `error` if the claim threw an error. A
 * kind is undefined if the result is no known outcome.
 */
export function kindsOf(ending: Ending): (AnswerKind | undefined)[] {
  if (!('value' in ending)) return ['error'];
  const values: unknown[] = Array.isArray(ending.value) ? ending.value : [ending.value];
  return values.map((value) => {
    const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : '';
    return KINDS.find((each) => each === kind);
  });
}
