import { eq } from 'drizzle-orm';
import type { Outcome } from '../../../claims/rules.ts';
import { settle } from '../../../claims/settle.ts';
import type { Database } from '../../../db/client.ts';
import { jobClaims } from '../../../db/schema.ts';
import type { Session } from '../../../db/session.ts';
import { type Assessment, type Ending, isOfTrial, type Sleep, type Trial } from '../../chapter.ts';
import { withSleep } from './clock.ts';
import { faultsOf } from './faults.ts';
import type { ClaimSituation } from './situations.ts';
import type { ClaimStrategy } from './strategy.ts';

/** The job of all schedules, and the ids of recruiters who may hold it before the first step. */
export const JOB = 1;
/** Nobody claims this job. A statement that forgets which job it is for changes this job too. */
const ANOTHER_JOB = 2;
const FIRST_HOLDER = 101;
/** Recruiters with ids up to this one belong to sessions. */
export const LAST_SESSION = FIRST_HOLDER - 1;
const LAST_HOLDER = 200;

/** Makes a trial in which all sessions claim one job by this strategy. */
export function claimTrial(
  strategy: Pick<ClaimStrategy, 'claim' | 'timed' | 'restart'>,
  situation: ClaimSituation,
  sessions: number,
): Trial {
  const { capacity, taken, timePasses, firstRollsBack } = situation;
  // All schedules share the trial, so each set-up makes a new promise.
  let released: Promise<void> | undefined;
  let tellRelease = () => {};
  let claim = strategy.claim;
  const program = (session: number) => (db: Database, sleep: Sleep) => {
    if (isReleaser(situation, session)) return releaseSlot(db).finally(tellRelease);
    const asking = recruitersOf(situation, session).map(
      (recruiter) => () =>
        settle(claim(db, { jobId: BigInt(JOB), recruiterId: BigInt(recruiter) })),
    );
    return withSleep(sleep, () => askAll(situation, asking, released));
  };
  const trial: Trial = {
    setUp(admin) {
      // New servers remember nothing of the schedule before, and nobody waits in their memory.
      claim = strategy.restart?.() ?? strategy.claim;
      released = new Promise((resolve) => {
        tellRelease = resolve;
      });
      return setUp(admin, capacity, taken);
    },
    sessions: Array.from({ length: sessions }, (_, index) => program(index + 1)),
    areIdentical: !firstRollsBack && !situation.releases,
    judge: (admin, endings) => judge(admin, situation, endings),
  };
  if (strategy.timed && timePasses) trial.timePasses = true;
  if (firstRollsBack) trial.rollsBack = { session: 1, table: 'job_claims' };
  return trial;
}

/** Session 1 is recruiter 1, and so on. A session that is a server has two recruiters. */
function recruitersOf(situation: ClaimSituation, session: number): number[] {
  if (isReleaser(situation, session)) return [];
  return situation.onServers ? [2 * session - 1, 2 * session] : [session];
}

const isReleaser = ({ releases }: ClaimSituation, session: number) => releases && session === 2;

/** By the recruiter, since each schedule gives the claim another id. */
async function releaseSlot(db: Database) {
  await db.delete(jobClaims).where(eq(jobClaims.recruiterId, BigInt(FIRST_HOLDER)));
  return { kind: 'released' };
}

type Ask = () => Promise<Outcome>;

/**
 * Returns the outcomes of a session's recruiters. If there is only one, returns it without a list.
 */
async function askAll(
  { asksAgain, onServers, releases }: ClaimSituation,
  asking: Ask[],
  released: Promise<void> | undefined,
) {
  const outcomes = await Promise.all(
    asking.map(async (ask) => {
      const again = (error: unknown) => (isOfTrial(error) ? ask() : Promise.reject(error));
      const outcome = await (asksAgain ? ask().catch(again) : ask());
      if (outcome.kind !== 'full') return outcome;
      if (releases) await released;
      return onServers || releases ? ask() : outcome;
    }),
  );
  return outcomes.length === 1 ? outcomes[0] : outcomes;
}

const run = async (admin: Session, text: string) => {
  await admin.run({ text, params: [], asArrays: false });
};

/** The admin sessions that have the set-up function already. */
const installed = new WeakSet<Session>();

async function setUp(admin: Session, capacity: number, taken: number) {
  if (!installed.has(admin)) await run(admin, INSTALL_SET_UP);
  installed.add(admin);
  const text = 'select pg_temp.set_up($1, $2)';
  await admin.run({ text, params: [capacity, taken], asArrays: false });
}

/**
 * Ids are fixed, so a schedule prints the same transcript each time. The set-up runs before every
 * schedule. It is a function, so PostgreSQL plans its statements only once.
 */
const INSTALL_SET_UP = `
  insert into companies (id, name) values (${JOB}, 'Company') on conflict do nothing;
  insert into jobs (id, company_id, role) select id, ${JOB}, 'Job'
    from unnest(array[${JOB}, ${ANOTHER_JOB}]) id on conflict do nothing;
  insert into recruiters (id, name) select id, 'Recruiter ' || id
    from generate_series(1, ${LAST_HOLDER}) id on conflict do nothing;
  select setval(pg_get_serial_sequence(name, 'id'), greatest(${LAST_HOLDER}, nextval(pg_get_serial_sequence(name, 'id'))))
    from unnest('{companies,jobs,recruiters}'::text[]) name;
  create or replace function pg_temp.set_up(slot_count int, taken int) returns void language plpgsql as $$
  begin
    delete from job_claims;
    delete from lab_claims.counters;
    delete from lab_claims.slots;
    delete from lab_claims.taken_slots;
    delete from lab_claims.leases;
    update jobs set capacity = slot_count where id = ${JOB} and capacity <> slot_count;
    insert into job_claims (job_id, recruiter_id)
      select ${JOB}, ${FIRST_HOLDER} + slot - 1 from generate_series(1, taken) slot;
    insert into lab_claims.counters (job_id, capacity, claimed) values (${JOB}, slot_count, taken);
    insert into lab_claims.leases (job_id) values (${JOB});
    insert into lab_claims.slots (job_id, slot, recruiter_id)
      select ${JOB}, slot, case when slot <= taken then ${FIRST_HOLDER} + slot - 1 end
      from generate_series(1, slot_count) slot;
    insert into lab_claims.taken_slots (job_id, slot, recruiter_id)
      select ${JOB}, slot, ${FIRST_HOLDER} + slot - 1 from generate_series(1, taken) slot;
  end $$`;

async function judge(
  admin: Session,
  situation: ClaimSituation,
  endings: Ending[],
): Promise<Assessment> {
  const text = 'select job_id::int as job, recruiter_id::int as id from job_claims';
  const rows = await admin.run({ text, params: [], asArrays: false });
  const all = rows as unknown as { job: number; id: number }[];
  const holders = all.filter(({ job }) => job === JOB).map(({ id }) => id);
  const elsewhere = all.length - holders.length;
  const { capacity, taken, releases } = situation;
  const answers = endings.flatMap((ending, index) => {
    const kinds = kindsOf(ending);
    return recruitersOf(situation, index + 1).map((recruiter, at) => ({
      recruiter,
      kind: kinds[at] ?? kinds[0],
    }));
  });
  const refused = answers.filter(({ kind }) => kind !== 'claimed').length;
  const earlier = Array.from({ length: taken }, (_, index) => FIRST_HOLDER + index);
  if (releases) earlier.shift();
  const isTrue =
    elsewhere === 0 && earlier.every((id) => holders.includes(id)) && answers.every(fits(holders));
  const claims = holders.length;
  return {
    faults: faultsOf({ capacity, claims, refused, isTrue }),
    summary: `${claims} claims, ${capacity} slots${elsewhere ? `, ${elsewhere} of another job` : ''}`,
  };
}

/**
 * Whether the table agrees with the answer to a recruiter. After an error, the claim may be in the
 * table or not.
 */
const fits =
  (holders: number[]) =>
  ({ recruiter, kind }: { recruiter: number; kind: string | undefined }): boolean => {
    if (kind === 'error' || kind === 'unknown') return true;
    return kind !== undefined && (kind === 'claimed') === holders.includes(recruiter);
  };

const KINDS = [
  'claimed',
  'duplicate',
  'full',
  'no-such-job',
  'no-such-recruiter',
  'busy',
  'unknown',
];

/**
 * The kinds of the outcomes. `error` if the claim threw an error. Undefined if its result is no
 * outcome.
 */
function kindsOf(ending: Ending): (string | undefined)[] {
  if (!('value' in ending)) return ['error'];
  const values: unknown[] = Array.isArray(ending.value) ? ending.value : [ending.value];
  return values.map((value) => {
    const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : '';
    return KINDS.find((each) => each === kind);
  });
}
