import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import { z } from 'zod';
import { pause } from '../../src/platform/waiting/backoff.ts';
import { again } from './again.ts';
import { nameOf, type Request, send } from './ask.ts';
import type { Dice } from './dice.ts';
import type { Stage } from './scenario.ts';

const own = z.object({
  claims: z.array(
    z.object({ id: z.coerce.string(), jobId: z.coerce.string(), offer: z.boolean().optional() }),
  ),
});
type OwnClaim = z.infer<typeof own>['claims'][number];

/** The jobs that a crowd wants, and the recruiters of the crowd. */
export interface Lines {
  jobIds: string[];
  recruiterIds: string[];
}

/** Adds jobs with one to four slots, and recruiters who want these jobs. */
export async function addLines(
  sql: postgres.Sql,
  count: { jobs: number; recruiters: number },
): Promise<Lines> {
  const jobs = await sql<{ id: string }[]>`
    INSERT INTO jobs (company_id, role, capacity)
    SELECT 1, 'Wanted by many', 1 + n % 4 FROM generate_series(1, ${count.jobs}) AS n
    RETURNING id::text`;
  const recruiters = await sql<{ id: string }[]>`
    INSERT INTO recruiters (name)
    SELECT 'In line ' || n FROM generate_series(1, ${count.recruiters}) AS n RETURNING id::text`;
  return { jobIds: jobs.map(({ id }) => id), recruiterIds: recruiters.map(({ id }) => id) };
}

/** Removes the claims and the lines of the crowd, because the usual audit does not expect them. */
export async function removeLines(sql: postgres.Sql, { jobIds }: Lines) {
  await sql`DELETE FROM waitlist WHERE job_id IN ${sql(jobIds)}`;
  await sql`DELETE FROM job_claims WHERE job_id IN ${sql(jobIds)}`;
}

/** After each such pause, one of five open offers lapses. */
const LAPSE_EVERY_MS = 500;

/** Lets a part of the offers lapse. Without triggers, the update makes no event. */
export const lapseOffers = (databaseUrl: string, ending: AbortSignal) =>
  again(databaseUrl, ending, async (sql) => {
    await sql.begin(async (tx) => {
      await tx`SET LOCAL session_replication_role = replica`;
      await tx`
        UPDATE job_claims SET expires_at = statement_timestamp() WHERE id IN (
          SELECT claim_id FROM waitlist WHERE claim_id IS NOT NULL AND random() < 0.2)`;
    });
    await pause(LAPSE_EVERY_MS, ending);
  });

/** How many times a request without an answer is sent. */
const ATTEMPTS = 3;
const PAUSE_MS = 30;

/**
 * Makes a recruiter claim, wait, accept, decline, release and leave at random, until the signal is
 * aborted. Each request goes to a random server.
 */
export async function waitInLine(
  recruiterId: string,
  jobIds: string[],
  { servers, load, ledger }: Stage,
  dice: Dice,
  ending: AbortSignal,
) {
  const ask = async (request: Request) => {
    // Half of the requests that write have a key. A repeat has the same key.
    const key = request.method !== 'GET' && dice.chance(0.5) ? { key: randomUUID() } : {};
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const reply = await send(dice.any(servers)?.url ?? '', { ...request, ...key });
      const name = nameOf(reply);
      load.count(name);
      if (name.startsWith('500'))
        ledger.add({ promise: 'the server answers', what: `${request.path} was answered ${name}` });
      if (reply.kind === 'answer' && reply.status < 500) return reply.body;
      await pause(PAUSE_MS);
    }
    return undefined;
  };
  while (!ending.aborted) await takeTurn(recruiterId, jobIds, ask, dice);
}

/**
 * Makes a recruiter claim, wait, accept, decline, release and leave, each at random. `ask` sends a request, and returns the body of the answer.
 */
export async function takeTurn(
  recruiterId: string,
  jobIds: string[],
  ask: (request: Request) => Promise<string | undefined>,
  dice: Dice,
) {
  const jobId = dice.any(jobIds) ?? '';
  const body = JSON.stringify({ recruiterId, ...(dice.chance(0.3) && { leaseSeconds: 1 }) });
  if (dice.chance(0.5)) await ask({ method: 'POST', path: `/jobs/${jobId}/claims`, body });
  if (dice.chance(0.7)) {
    const entry = JSON.stringify({ recruiterId });
    await ask({ method: 'POST', path: `/jobs/${jobId}/waitlist`, body: entry });
  }
  const answer = await ask({ method: 'GET', path: `/recruiters/${recruiterId}/claims` });
  for (const each of claimsOf(answer)) await ask(next(each, dice));
  if (dice.chance(0.1))
    await ask({ method: 'DELETE', path: `/jobs/${jobId}/waitlist/${recruiterId}` });
}

/** Accepts half of the offers, and releases or declines most of the rest. */
const next = ({ id, offer }: OwnClaim, dice: Dice): Request =>
  offer && dice.chance(0.5)
    ? { method: 'POST', path: `/claims/${id}/accept`, body: '{}' }
    : dice.chance(0.6)
      ? { method: 'DELETE', path: `/claims/${id}` }
      : { method: 'GET', path: `/claims/${id}` };

function claimsOf(body: string | undefined): OwnClaim[] {
  try {
    return own.safeParse(JSON.parse(body ?? '')).data?.claims ?? [];
  } catch {
    return [];
  }
}
