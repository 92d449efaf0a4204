import { z } from 'zod';
import type { Operation, OperationResult } from './possible.ts';

/** An HTTP request. Every repeat of the request is identical. */
export interface Request {
  path: string;
  method: string;
  body?: string;
  key?: string;
}

/**
 * `refused`: the server accepted no connection. `broken`: the request may have been sent, but no
 * complete answer came.
 */
export type Reply = CompleteAnswer | { kind: 'refused' | 'broken' };
type CompleteAnswer = { kind: 'answer'; status: number; body: string };

/** The maximum wait for an answer. A longer wait means that the server hangs. */
export const PATIENCE_MS = 30_000;

export async function send(url: string, request: Request): Promise<Reply> {
  const { path, method, body, key } = request;
  const headers = {
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(key !== undefined && { 'Idempotency-Key': key }),
  };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const response = await fetch(url + path, { method, headers, body: body ?? null, signal });
    return { kind: 'answer', status: response.status, body: await response.text() };
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    return { kind: code === 'ECONNREFUSED' ? 'refused' : 'broken' };
  }
}

const claimed = z.object({
  claim: z.object({ id: z.coerce.string(), expiresAt: z.iso.datetime().nullable() }),
});
const claimList = z.object({
  claims: z.array(z.object({ id: z.coerce.string(), jobId: z.coerce.string() })),
});
const refused = z.object({ code: z.string() });

/** Returns the name under which a reply is counted, such as `201`, `503 busy` or `refused`. */
export function nameOf(reply: Reply): string {
  if (reply.kind !== 'answer') return reply.kind;
  return [reply.status, codeOf(reply)].filter(Boolean).join(' ');
}

/**
 * `not done`: the operation had no effect, so the same request may be sent again. `unexpected`: the
 * service never gives such an answer to this operation.
 */
export type Settled = OperationResult | { kind: 'not done' } | { kind: 'unexpected' };

const notDone = { kind: 'not done' } as const;

/**
 * Turns a reply into the result of its operation. `runs` is true if the reply came so late that the
 * operation may still be running.
 */
export function resultOf(did: Operation, reply: Reply, runs: boolean): Settled {
  if (reply.kind !== 'answer')
    return reply.kind === 'refused' ? notDone : { kind: 'unknown', runs };
  const code = codeOf(reply);
  if (code === undefined) return granted(did, reply.body);
  if (code === 'outcome-unknown') return { kind: 'unknown', runs };
  return refusals[did.kind][code] ?? refusals.any[code] ?? { kind: 'unexpected' };
}

const refusals: Record<Operation['kind'] | 'any', Record<string, Settled>> = {
  any: {
    busy: notDone,
    'shutting-down': notDone,
    'key-in-use': notDone,
    'too-many-requests': notDone,
  },
  claim: { 'already-claimed': { kind: 'duplicate' }, 'job-full': { kind: 'full' } },
  release: { 'claim-not-found': { kind: 'gone' } },
  renew: { 'claim-not-found': { kind: 'gone' }, 'no-lease': { kind: 'no-lease' } },
};

function granted(did: Operation, body: string): Settled {
  const { data } = claimed.safeParse(parse(body));
  if (!data) return { kind: 'unexpected' };
  if (did.kind === 'release') return { kind: 'released' };
  const { id, expiresAt } = data.claim;
  const ends = expiresAt === null ? Infinity : Date.parse(expiresAt);
  return { kind: did.kind === 'claim' ? 'claimed' : 'renewed', id, ends };
}

/**
 * Returns the claim ids in a list of claims, by job id. The result is empty if the reply is no list
 * of claims.
 */
export function claimsIn(reply: Reply): Map<string, string> {
  const { data } = claimList.safeParse(reply.kind === 'answer' ? parse(reply.body) : undefined);
  return new Map(data?.claims.map(({ id, jobId }) => [jobId, id]));
}

/** Returns the code of a problem. Returns undefined if the status is below 300. */
function codeOf({ status, body }: CompleteAnswer): string | undefined {
  if (status < 300) return undefined;
  return refused.safeParse(parse(body)).data?.code ?? 'no problem document';
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/**
 * Returns the request for an operation. If `byGet` is true, a claim without a lease uses
 * `GET /claim-job`.
 */
export function requestFor(did: Operation, byGet: boolean, key: string | undefined): Request {
  const named = key === undefined ? {} : { key };
  switch (did.kind) {
    case 'claim': {
      const { jobId, recruiterId, leaseSeconds } = did;
      if (byGet && leaseSeconds === undefined)
        return {
          path: `/claim-job?jobId=${jobId}&recruiterId=${recruiterId}`,
          method: 'GET',
          ...named,
        };
      const body = JSON.stringify({ recruiterId, leaseSeconds });
      return { path: `/jobs/${jobId}/claims`, method: 'POST', body, ...named };
    }
    case 'release':
      return { path: `/claims/${did.id}`, method: 'DELETE', ...named };
    case 'renew': {
      const body = JSON.stringify({ leaseSeconds: did.leaseSeconds });
      return { path: `/claims/${did.id}/renew`, method: 'POST', body, ...named };
    }
  }
}
