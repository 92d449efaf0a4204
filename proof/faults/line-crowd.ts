import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { pause } from '../../src/platform/waiting/backoff.ts';
import { nameOf, type Request, send } from './ask.ts';
import type { Dice } from './dice.ts';
import type { Stage } from './scenario.ts';

const own = z.object({
  claims: z.array(
    z.object({ id: z.coerce.string(), jobId: z.coerce.string(), offer: z.boolean().optional() }),
  ),
});
type OwnClaim = z.infer<typeof own>['claims'][number];

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
  while (!ending.aborted) {
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
