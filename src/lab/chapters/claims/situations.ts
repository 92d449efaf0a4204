import { settle } from '../../../claims/settle.ts';
import type { Database } from '../../../db/client.ts';
import type { Session } from '../../../db/session.ts';
import { type Ending, isRollback, type Scenario } from '../../explore/scenario.ts';
import { brokenInvariants } from './faults.ts';
import type { Strategy } from './strategy.ts';

/** The job that schedules are about, and the ids of those who may hold it already. */
export const JOB = 1;
const FIRST_HOLDER = 101;
const LAST_HOLDER = 200;

export interface ClaimSetting {
  name: string;
  idea: string;
  capacity: number;
  taken: number;
  /** Time may pass, for the strategies in which something ends by it. */
  timePasses?: true;
  /** The first session's transaction that inserts a claim is rolled back instead of committed. */
  firstRollsBack?: true;
  /** Whoever was rolled back claims once more. */
  asksAgain?: true;
}

/** The situations in which a strategy is tried; the first is the one that counts are given for. */
export const claimSettings: readonly [ClaimSetting, ...ClaimSetting[]] = [
  { name: 'last-slot', idea: 'one slot is left', capacity: 4, taken: 3, timePasses: true },
  { name: 'first-slot', idea: 'a new job with one slot', capacity: 1, taken: 0 },
  { name: 'two-slots', idea: 'a slot for each', capacity: 4, taken: 2 },
  {
    name: 'rollback',
    idea: 'one slot is left, one rolls back',
    capacity: 4,
    taken: 3,
    firstRollsBack: true,
  },
  {
    name: 'rollback-again',
    idea: 'one slot is left, one rolls back and asks again',
    capacity: 4,
    taken: 3,
    firstRollsBack: true,
    asksAgain: true,
  },
];

/** The setting of this name. Throws when there is none: names from outside are checked before. */
export function settingNamed(name: string): ClaimSetting {
  const setting = claimSettings.find((each) => each.name === name);
  if (!setting) throw new Error(`there is no setting ${name}`);
  return setting;
}

/** So many recruiters claim one job by this strategy; session 1 is recruiter 1, and so on. */
export function claimScenario(
  strategy: Pick<Strategy, 'claim' | 'timed' | 'restart'>,
  { name, capacity, taken, timePasses, firstRollsBack, asksAgain }: ClaimSetting,
  recruiters: number,
): Scenario {
  // Whoever plays a schedule only in part leaves others waiting in memory, but in this one alone.
  const claim = strategy.restart?.() ?? strategy.claim;
  const program = (recruiterId: bigint) => (db: Database) => {
    const once = () => settle(claim(db, { jobId: BigInt(JOB), recruiterId }));
    return asksAgain
      ? once().catch((error) => (isRollback(error) ? once() : Promise.reject(error)))
      : once();
  };
  const scenario: Scenario = {
    name,
    setUp: (admin) => setUp(admin, capacity, taken),
    sessions: Array.from({ length: recruiters }, (_, index) => program(BigInt(index + 1))),
    judge: (admin, endings) => judge(admin, { capacity, taken }, endings),
  };
  if (strategy.timed && timePasses) scenario.passTime = (admin) => runAll(admin, LET_AN_HOUR_PASS);
  if (firstRollsBack) scenario.rollsBack = { session: 1, after: /\binsert into "?job_claims/i };
  return scenario;
}

/** By then every lease has ended. */
const LET_AN_HOUR_PASS = "insert into lab.time_passed values ('1 hour')";

const runAll = async (admin: Session, text: string) => {
  await admin.run({ text, params: [], asArrays: false });
};

/** The admin sessions that have the function already. */
const installed = new WeakSet<Session>();

async function setUp(admin: Session, capacity: number, taken: number) {
  if (!installed.has(admin)) await runAll(admin, INSTALL_SET_UP);
  installed.add(admin);
  const text = 'select pg_temp.set_up($1, $2)';
  await admin.run({ text, params: [capacity, taken], asArrays: false });
}

/**
 * Fixed ids, so that a schedule prints the same transcript each time. A function, since its
 * statements are then planned once, and it is called before every schedule. Nobody listens here,
 * and commits that announce something wait for one another, those of other stages included.
 */
const INSTALL_SET_UP = `
  alter table job_claims disable trigger user;
  alter table jobs disable trigger user;
  insert into companies (id, name) values (${JOB}, 'Company') on conflict do nothing;
  insert into jobs (id, company_id, role) values (${JOB}, ${JOB}, 'Job') on conflict do nothing;
  insert into recruiters (id, name) select id, 'Recruiter ' || id
    from generate_series(1, ${LAST_HOLDER}) id on conflict do nothing;
  select setval(pg_get_serial_sequence(name, 'id'), greatest(${LAST_HOLDER}, nextval(pg_get_serial_sequence(name, 'id'))))
    from unnest('{companies,jobs,recruiters}'::text[]) name;
  create function pg_temp.set_up(slot_count int, taken int) returns void language plpgsql as $$
  begin
    delete from job_claims;
    delete from lab.counters;
    delete from lab.slots;
    delete from lab.taken_slots;
    delete from lab.leases;
    delete from lab.time_passed;
    update jobs set capacity = slot_count where id = ${JOB} and capacity <> slot_count;
    insert into job_claims (job_id, recruiter_id)
      select ${JOB}, ${FIRST_HOLDER} + slot - 1 from generate_series(1, taken) slot;
    insert into lab.counters (job_id, capacity, claimed) values (${JOB}, slot_count, taken);
    insert into lab.leases (job_id) values (${JOB});
    insert into lab.slots (job_id, slot, recruiter_id)
      select ${JOB}, slot, case when slot <= taken then ${FIRST_HOLDER} + slot - 1 end
      from generate_series(1, slot_count) slot;
    insert into lab.taken_slots (job_id, slot, recruiter_id)
      select ${JOB}, slot, ${FIRST_HOLDER} + slot - 1 from generate_series(1, taken) slot;
  end $$`;

async function judge(
  admin: Session,
  { capacity, taken }: { capacity: number; taken: number },
  endings: Ending[],
) {
  const text = 'select recruiter_id::int as id from job_claims where job_id = $1';
  const rows = await admin.run({ text, params: [JOB], asArrays: false });
  const holders = (rows as unknown as { id: number }[]).map(({ id }) => id);
  const answers = endings.map((ending, index) => ({ recruiter: index + 1, kind: kindOf(ending) }));
  const refused = answers.filter(({ kind }) => kind !== 'claimed').length;
  const broken = brokenInvariants({ capacity, claims: holders.length, refused });
  const earlier = Array.from({ length: taken }, (_, index) => FIRST_HOLDER + index);
  const isTrue = earlier.every((id) => holders.includes(id)) && answers.every(fits(holders));
  return {
    broken: isTrue ? broken : [...broken, 'untrue'],
    summary: `${holders.length} claims, ${capacity} slots`,
  };
}

/** Whether what a recruiter was told is what the table says. After an error, either may be. */
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

/** The kind of the outcome, `error` where it threw, undefined where it is no outcome at all. */
function kindOf(ending: Ending): string | undefined {
  if ('error' in ending) return 'error';
  const { value } = ending;
  const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : '';
  return KINDS.find((each) => each === kind);
}
