import { expect } from 'vitest';
import { explore } from '../../src/explorer/explore.ts';
import type { Stage } from '../../src/explorer/stage.ts';
import { tell } from '../../src/explorer/tell.ts';
import type { Ending, Trial } from '../../src/explorer/trial.ts';
import type { Database } from '../../src/platform/db/client.ts';
import type { Session } from '../../src/platform/db/session.ts';
import { claimJob } from '../../src/service/claims/claim.ts';
import { claimTogether, claimWithWait } from '../../src/service/claims/claim-together.ts';
import { ClaimQueue } from '../../src/service/claims/group-commit.ts';
import type { ClaimRequest } from '../../src/service/claims/rules.ts';
import { settle } from '../../src/service/claims/settle.ts';

const run = (admin: Session, text: string) => admin.run({ text, params: [], asArrays: false });

type Claims = [job: number, recruiter: number][];
/** The claims of one session, and the code that decides them. */
interface Program {
  claims: Claims;
  decide(db: Database, requests: ClaimRequest[]): Promise<{ kind: string }[]>;
}

/**
 * Returns a program that claims all jobs in one transaction. If the other session has locked a job,
 * the program claims this job in a second transaction, as the queue does.
 */
export const together = (...claims: Claims): Program => ({
  claims,
  async decide(db, requests) {
    const results = await claimTogether(
      db,
      requests.map((request) => ({ request })),
    );
    for (const [index, request] of requests.entries())
      if (results[index]?.kind === 'locked-elsewhere')
        results.splice(index, 1, ...(await claimWithWait(db, [{ request }])));
    return results;
  },
});

/**
 * Returns a program that uses `claimJob`, as a second server may do: a transaction for each claim.
 */
export const alone = (...claims: Claims): Program => ({
  claims,
  decide: async (db, requests) => {
    const outcomes = [];
    for (const request of requests) outcomes.push(await settle(claimJob(db, request)));
    return outcomes;
  },
});

/** Returns a program with a queue. The first claim runs immediately, the rest in the next batch. */
export const queued = (...claims: Claims): Program => ({
  claims,
  decide(db, requests) {
    const limits = {
      batch: 10,
      lockWaits: 1,
      waiting: 10,
      waitMs: 60_000,
      answerMs: 60_000,
    };
    const queue = new ClaimQueue(db, limits, () => undefined);
    return Promise.all(requests.map((request) => queue.claim(request)));
  },
});

const CAPACITY = 2;

/** Returns a trial of two programs. Jobs 1 and 2 have two slots each. One slot of each is taken. */
function trialOf(...programs: [Program, Program]): Trial {
  return {
    async setUp(admin) {
      await run(admin, 'alter table job_claims disable trigger user');
      await run(admin, 'delete from job_claims');
      await run(admin, `update jobs set capacity = ${CAPACITY} where id in (1, 2)`);
      await run(admin, 'insert into job_claims (job_id, recruiter_id) values (1, 100), (2, 100)');
    },
    sessions: programs.map(({ claims, decide }) => (db) => {
      const requests = claims.map(([jobId, recruiterId]) => ({
        jobId: BigInt(jobId),
        recruiterId: BigInt(recruiterId),
      }));
      return decide(db, requests);
    }),
    judge: (admin, endings) => judge(admin, programs, endings),
  };
}

/**
 * Checks that no job is oversold, that no slot is free after enough claims, and that each answer is
 * true.
 */
async function judge(admin: Session, programs: Program[], endings: Ending[]) {
  const rows = (await run(
    admin,
    'select job_id::int as job, recruiter_id::int as recruiter from job_claims where recruiter_id < 100',
  )) as unknown as { job: number; recruiter: number }[];
  const faults = new Set<string>();
  for (const job of [1, 2]) {
    const claimed = rows.filter((row) => row.job === job).length + 1;
    const asked = programs.flatMap(({ claims }) => claims).filter(([id]) => id === job).length + 1;
    if (claimed > CAPACITY) faults.add('oversold');
    if (claimed < Math.min(CAPACITY, asked)) faults.add('unsold');
  }
  for (const [index, { claims }] of programs.entries()) {
    const ending = endings[index];
    const outcomes = ending && 'value' in ending ? (ending.value as { kind: string }[]) : [];
    for (const [n, [job, recruiter]] of claims.entries()) {
      const held = rows.some((row) => row.job === job && row.recruiter === recruiter);
      if ((outcomes[n]?.kind === 'claimed') !== held) faults.add('untrue');
    }
  }
  return { faults: [...faults], summary: `${rows.length} new claims` };
}

/** Plays every schedule of two programs. Asserts that no schedule has a fault. */
export async function exploreAll(stage: Stage, ...programs: [Program, Program]) {
  const found = await explore(stage, trialOf(...programs));
  const shown = Object.values(found.counterexamples).map((played) => tell(played).transcript);
  expect(shown.join('\n'), JSON.stringify(found.faults)).toBe('');
  return found.schedules;
}
