import type { Database } from '../../../platform/db/client.ts';
import type { Session } from '../../../platform/db/session.ts';
import { hasRunOut, sessionsIn, type Trial } from '../../chapter.ts';
import { assess } from './assess.ts';
import { JOB, readJob, setUp } from './rows.ts';
import { type LineSituation, roleOf } from './situations.ts';
import type { LineRequest, Outcome, WaitlistStrategy } from './strategy.ts';

/** Makes a trial in which the sessions change the slots and the line of one job. */
export function waitlistTrial(
  strategy: WaitlistStrategy,
  situation: LineSituation,
  sessions: number,
): Trial {
  const { timePasses, firstRollsBack, firstFails, deaths } = situation;
  const count = sessionsIn(situation, sessions);
  let wasOversold = false;
  let hasTimePassed = false;
  /** The `change` of each server. No server remembers anything of the earlier schedule. */
  let servers: WaitlistStrategy['change'][] = [];
  const serverOf = (session: number) => {
    servers[session] ??= strategy.restart?.() ?? strategy.change;
    return servers[session];
  };
  const program = (session: number) => (db: Database) =>
    actOf(situation, session)(serverOf(session), db);
  const trial: Trial = {
    setUp(admin) {
      wasOversold = false;
      hasTimePassed = false;
      servers = [];
      return setUp(admin, situation, strategy.ofProduction === true);
    },
    async onCommit(admin) {
      const { holders, capacity } = await readJob(admin);
      wasOversold ||= holders.length > capacity;
    },
    sessions: Array.from({ length: count }, (_, index) => program(index + 1)),
    judge: (admin, endings, last) =>
      assess(admin, situation, { endings, last, wasOversold, hasTimePassed }),
  };
  if (timePasses) {
    trial.timePasses = true;
    trial.hasLeases = true;
    trial.passTime = async () => {
      hasTimePassed = true;
    };
    trial.runOut = offersRunOut;
    trial.afterwards = () => (db) => serverOf(count + 1)(db, { kind: 'clean up', jobId: JOB });
    // If time passed once more, offers of the schedule would end too.
    trial.afterwardsAtOnce = true;
  }
  if (firstRollsBack) trial.rollsBack = { session: 1, table: 'job_claims' };
  if (firstFails) trial.fails = 1;
  if (deaths) trial.deaths = deaths;
  return trial;
}

type Program = (change: WaitlistStrategy['change'], db: Database) => Promise<Outcome>;

/** Returns what a session does. */
function actOf(situation: LineSituation, session: number): Program {
  const { kind, recruiterId } = roleOf(situation, session);
  const jobId = JOB;
  const ask =
    (request: LineRequest): Program =>
    (change, db) =>
      change(db, request);
  if (kind === 'grow') return ask({ kind: 'resize', jobId, capacity: situation.capacity + 1 });
  if (kind === 'clean up') return ask({ kind, jobId });
  if (kind === 'decline') return ask({ kind: 'leave', jobId, recruiterId });
  if (kind !== 'claim or join') return ask({ kind, jobId, recruiterId });
  return async (change, db) => {
    const outcome = await change(db, { kind: 'claim', jobId, recruiterId });
    if (outcome.kind !== 'full') return outcome;
    return change(db, { kind: 'join', jobId, recruiterId });
  };
}

/** Returns a line for each offer that ended when time passed. */
async function offersRunOut(admin: Session): Promise<string[]> {
  const text = `select 'the offer of recruiter ' || recruiter_id || ' ends' as ends
    from job_claims where ${hasRunOut('expires_at')} order by 1`;
  const rows = await admin.run({ text, params: [], asArrays: false });
  return rows.map((row) => (row as unknown as { ends: string }).ends);
}
