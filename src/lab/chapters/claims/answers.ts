import type { Session } from '../../../platform/db/session.ts';
import type { Assessment, Ending } from '../../chapter.ts';
import { remarksOn } from './answer-fields.ts';
import { boardOf, END_OF_LEASES } from './board.ts';
import { faultsOf } from './faults.ts';
import { areOthersIntact } from './rows.ts';
import { addsSlot, type ClaimSituation } from './situations.ts';
import { counted } from './state.ts';

/** An answer to a recruiter. The kind is undefined if the strategy returned no known outcome. */
export interface RecruiterAnswer {
  job: bigint;
  recruiter: bigint;
  kind: AnswerKind | undefined;
  /** What the strategy returned. Undefined if the claim threw an error. */
  value: unknown;
}

/** A claimed job after the last step. */
interface JobAtEnd {
  id: bigint;
  capacity: number;
  /** The recruiters who hold the job, in the order of their claims. */
  holders: bigint[];
  /** The ids of the claims, by the recruiter who holds the claim. */
  claimIds: Map<bigint, string>;
  /** The recruiters whose claims must still be there. */
  earlier: readonly bigint[];
  /** Whether a claim has another lease than it should have. */
  hasWrongLease: boolean;
  answers: RecruiterAnswer[];
}

/** What was seen in a schedule. */
interface Seen {
  answers: RecruiterAnswer[];
  /** The recruiters who ask after all others. Nobody else can be the reason for `busy`. */
  alone: readonly bigint[];
  /** Whether a job had more claims than slots after a COMMIT. */
  wasOversold: boolean;
  /** Whether the first ask of session 1 had no sure answer. */
  hasFailed: boolean;
}

/** Compares the answers with the claims in the table, and returns the faults. */
export async function assess(
  admin: Session,
  situation: ClaimSituation,
  { answers, alone, wasOversold, hasFailed }: Seen,
): Promise<Assessment> {
  const unsure = situation.firstFails && hasFailed ? boardOf(situation).askers[0] : undefined;
  const jobs = await readJobs(admin, situation, answers);
  const areIntact = await areOthersIntact(admin);
  const faults = jobs.flatMap((job) =>
    faultsOf({
      capacity: job.capacity,
      claims: job.holders.length,
      wasOversold,
      isUnsold: isUnsold(job, alone),
      isTrue: areIntact && !job.hasWrongLease && isTrue(job, situation, { alone, unsure }),
    }),
  );
  const isOversold = jobs.some(({ capacity, holders }) => holders.length > capacity);
  const additions = [
    wasOversold && !isOversold ? ', and there were more claims than slots meanwhile' : '',
    areIntact ? '' : ', and the rows of another job have changed',
    jobs.some(({ hasWrongLease }) => hasWrongLease) ? ', and a claim has a wrong lease' : '',
  ];
  const summary = `${jobs.map(sayJob).join('; ')}${additions.join('')}`;
  // If a slot is added or a claim is released, an answer may tell what was true before.
  const mayChange = addsSlot(situation) || situation.takesBack;
  const remarks = mayChange || faults.length > 0 ? [] : jobs.flatMap(remarksOnAnswers);
  return { faults: [...new Set(faults)], summary, remarks };
}

async function readJobs(
  admin: Session,
  situation: ClaimSituation,
  answers: RecruiterAnswer[],
): Promise<JobAtEnd[]> {
  const { hasLargeIds, isMissing, releases } = situation;
  const more = addsSlot(situation) ? 1 : 0;
  const rows = await admin.run({ text: CLAIMS, params: [], asArrays: false });
  const claims = (rows as unknown as ClaimRow[]).map(({ claim, job, id, kept }) => ({
    ...{ claim, isLeaseKept: kept },
    job: BigInt(job),
    id: BigInt(id),
  }));
  return boardOf(situation).claimed.map(({ id, capacity, holders, leaseholder }) => {
    const ofJob = claims.filter(({ job }) => job === id);
    const isWrong = ofJob.some((claim) => claim.isLeaseKept !== (claim.id === leaseholder || null));
    return {
      id,
      capacity: isMissing ? 0 : capacity + more,
      holders: ofJob.map((claim) => claim.id),
      claimIds: new Map(ofJob.map((claim) => [claim.id, claim.claim])),
      earlier: releases ? holders.slice(1) : holders,
      // Only the large board has leases. On a small board, a program in another language may give
      // its claims leases of its own.
      hasWrongLease: isWrong && hasLargeIds === true,
      answers: answers.filter(({ job }) => job === id),
    };
  });
}

interface ClaimRow {
  claim: string;
  job: string;
  id: string;
  kept: boolean | null;
}

/** Selects the claims. `kept` is null without a lease, and false if the lease was changed. */
const CLAIMS = `select id::text as claim, job_id::text as job, recruiter_id::text as id,
    expires_at = '${END_OF_LEASES}' as kept
  from job_claims order by job_claims.id`;

function remarksOnAnswers({ id: jobId, capacity, claimIds, answers }: JobAtEnd): string[] {
  return answers.flatMap(({ recruiter, kind, value }) =>
    kind === undefined || kind === 'error'
      ? []
      : remarksOn(value, {
          ...{ jobId, capacity, recruiterId: recruiter },
          claimId: claimIds.get(recruiter),
        }),
  );
}

/** Whether somebody was turned away though a slot was free. The recruiters in `alone` come later. */
function isUnsold({ capacity, holders, answers }: JobAtEnd, alone: readonly bigint[]): boolean {
  const refused = answers.filter(({ kind }) => isRefusal(kind));
  if (refused.length > 0 && holders.length < capacity) return true;
  const isEarlier = (recruiter: bigint) => !alone.includes(recruiter);
  const isTurnedAway = refused.some(
    ({ recruiter }) => isEarlier(recruiter) && !holders.includes(recruiter),
  );
  return isTurnedAway && holders.filter(isEarlier).length < capacity;
}

const isRefusal = (kind: RecruiterAnswer['kind']) => kind !== 'claimed' && kind !== 'duplicate';

/** Whether the table agrees with all answers. */
function isTrue(
  job: JobAtEnd,
  situation: ClaimSituation,
  { alone, unsure }: { alone: readonly bigint[]; unsure: bigint | undefined },
): boolean {
  const { isMissing, takesBack } = situation;
  if (isMissing) return job.answers.every(({ kind }) => kind === 'no-such-job');
  return (
    job.earlier.every((id) => job.holders.includes(id)) &&
    job.answers.every(
      ({ recruiter, kind }) =>
        !ABSENT.includes(kind) &&
        !(alone.includes(recruiter) && UNDECIDED.includes(kind)) &&
        fits(job, recruiter, { gone: takesBack ? 1 : 0, isUnsure: recruiter === unsure }),
    )
  );
}

/**
 * Returns whether the table agrees with all answers to this recruiter. A holder must have received
 * `claimed` once, and once more for each of the `gone` claims that were released. An unsure
 * recruiter saw an error first, perhaps after the COMMIT of the claim. The second answer may then be
 * `duplicate`. After `error` or `unknown`, the claim may be in the table or not.
 */
function fits(
  { holders, answers }: JobAtEnd,
  recruiter: bigint,
  { gone, isUnsure }: { gone: number; isUnsure: boolean },
): boolean {
  const kinds = answers.filter((told) => told.recruiter === recruiter).map(({ kind }) => kind);
  if (kinds.includes(undefined)) return false;
  if (kinds.includes('error') || kinds.includes('unknown')) return true;
  const claimed = kinds.filter((kind) => kind === 'claimed').length - gone;
  if (holders.includes(recruiter))
    return claimed === 1 || (isUnsure && kinds.includes('duplicate'));
  return claimed === 0 && !kinds.includes('duplicate');
}

function sayJob({ id, capacity, holders }: JobAtEnd, _: number, all: readonly JobAtEnd[]): string {
  const name = all.length === 1 ? '' : `job ${id}: `;
  return `${name}${counted(holders.length, 'claim')}, ${counted(capacity, 'slot')}`;
}

/** The job and the recruiters are there, unless the situation says otherwise. */
const ABSENT: RecruiterAnswer['kind'][] = ['no-such-job', 'no-such-recruiter'];

const UNDECIDED: RecruiterAnswer['kind'][] = ['busy', 'unknown'];

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
 * Returns the outcomes of a session. The kind is `error` if the claim threw an error. It is undefined
 * if the result is no known outcome.
 */
export function answersOf(ending: Ending): Pick<RecruiterAnswer, 'kind' | 'value'>[] {
  if (!('value' in ending)) return [{ kind: 'error', value: undefined }];
  const values: unknown[] = Array.isArray(ending.value) ? ending.value : [ending.value];
  return values.map((value) => {
    const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : '';
    return { kind: KINDS.find((each) => each === kind), value };
  });
}
