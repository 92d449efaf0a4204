import { type Problem, queryOf } from '../call.ts';
import type { ClaimNews, Id, Job, PlaceNews } from '../operations.generated.ts';
import type { Sender } from '../send.ts';
import { bearerOf } from '../token.ts';
import { locksOfTabs } from './locks.ts';
import { SharedStream } from './shared.ts';
import { FollowedState, type Reaction } from './state.ts';
import { type FollowStatus, keepStream, type Listener } from './stream.ts';

/**
 * The jobs to follow: a list of jobs, or the jobs of a company. If both fields are missing, the
 * client follows all jobs.
 */
export interface FollowedJobs {
  jobs?: readonly Id[];
  company?: Id;
}

/**
 * The claims to follow. `true` means the claims of the recruiter that the token names. Give the id
 * of a recruiter if the server uses no tokens, or if the token names an admin.
 */
export interface FollowedClaims {
  mine: true | Id;
}

interface Handlers {
  /**
   * Called with each new status of the followed state. The status `refused` comes with a problem.
   */
  onStatus?(status: FollowStatus, problem?: Problem): void;
}

export interface JobHandlers extends Handlers {
  /**
   * Called with the present state of all followed jobs. The first call comes when the full state
   * has arrived. Later calls come after changes. `changed` has the ids of the jobs that are new,
   * changed or gone.
   */
  onJobs(jobs: ReadonlyMap<Id, Job>, changed: readonly Id[]): void;
}

/** A claim, or an offer, as a stream sends it. */
export type HeldClaim = ClaimNews['claim'];

export interface ClaimHandlers extends Handlers {
  /**
   * Called with the present claims of the recruiter by id, and the ids of the changed claims. If only
   * a place in line has changed, no id is given.
   */
  onClaims(claims: ReadonlyMap<Id, HeldClaim>, changed: readonly Id[]): void;
  /** Called with each change of a claim, but not for the claims of the full state. */
  onNews?(news: ClaimNews): void;
  /**
   * Called with the recruiter's places in line, by the id of the job. 1 is the next place. A
   * recruiter who gets an offer has no place any more.
   */
  onPlaces?(places: ReadonlyMap<Id, number>): void;
}

export interface FollowJobs {
  /** Follows jobs. Returns a function that stops following. */
  (what: FollowedJobs, handlers: JobHandlers): () => void;
  /** Follows the claims of a recruiter. Returns a function that stops following. */
  (what: FollowedClaims, handlers: ClaimHandlers): () => void;
}

/** After news of these kinds, the claim is gone. */
const OVER: readonly ClaimNews['kind'][] = ['released', 'expired', 'declined', 'lapsed'];

/**
 * Returns an id as the service writes ids in its answers. The id is a number if every client can
 * represent this number exactly. Otherwise the id is a string.
 */
const asAnswered = (id: Id): Id => (Number.isSafeInteger(Number(id)) ? Number(id) : id);

export const followerOf = (sender: Sender): FollowJobs =>
  function followJobs(what: FollowedJobs | FollowedClaims, handlers: JobHandlers | ClaimHandlers) {
    if ('mine' in what) return followClaims(sender, what, handlers as ClaimHandlers);
    const { jobs = [], company } = what;
    const path = `/jobs/events${queryOf({ jobId: jobs, companyId: company })}`;
    const { onJobs, onStatus } = handlers as JobHandlers;
    const reaction: Reaction = {
      subjectOf({ name, data }) {
        const isGone = name === 'gone';
        if (isGone || name === 'job') return { id: (data as Job).id, isGone };
      },
      onChange: (all, changed) =>
        onJobs(new Map([...all].map(([id, { data }]) => [id as Id, data as Job])), changed as Id[]),
    };
    return follow(sender, path, new FollowedState(reaction, jobs.map(asAnswered)), onStatus);
  };

function followClaims(
  sender: Sender,
  { mine }: FollowedClaims,
  { onClaims, onNews, onPlaces, onStatus }: ClaimHandlers,
) {
  const path = `/me/events${queryOf({ recruiterId: mine === true ? undefined : mine })}`;
  const reaction: Reaction = {
    subjectOf({ name, data }) {
      const { claim, kind, jobId, place } = data as ClaimNews & PlaceNews;
      // In another tab, a claim of the full state is no news.
      const kept = { name, data: { ...(data as ClaimNews), kind: 'held' } };
      if (name === 'claim') return { id: claim.id, isGone: OVER.includes(kind), kept };
      if (name === 'place') return { id: `place ${jobId}`, isGone: !place };
    },
    onChange(all, changed) {
      const claims = new Map<Id, HeldClaim>();
      const places = new Map<Id, number>();
      for (const { data } of all.values()) {
        const { claim, jobId, place } = data as ClaimNews & PlaceNews;
        if (place) places.set(jobId, place);
        else claims.set(claim.id, claim);
      }
      // The id of a place is no number.
      onClaims(claims, changed.filter(Number) as Id[]);
      onPlaces?.(places);
    },
    onEvent({ data }) {
      const { kind } = data as ClaimNews;
      if (kind && kind !== 'held') onNews?.(data as ClaimNews);
    },
  };
  return follow(sender, path, new FollowedState(reaction, []), onStatus);
}

/**
 * Keeps the state up to date, from a stream of this tab or of another tab. Returns a function that
 * stops following.
 */
function follow(
  sender: Sender,
  path: string,
  state: FollowedState,
  onStatus: Handlers['onStatus'],
): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const listener: Listener = {
    onEvent(event) {
      if (!signal.aborted) state.take(event);
    },
    onStatus(status, problem) {
      if (!signal.aborted) onStatus?.(status, problem);
    },
  };
  listener.onStatus('connecting');
  void run(sender, path, state, listener, signal);
  return () => {
    stopping.abort();
    state.stop();
  };
}

async function run(
  sender: Sender,
  path: string,
  state: FollowedState,
  listener: Listener,
  signal: AbortSignal,
) {
  const locks = locksOfTabs();
  const keep = (to: Listener, until: AbortSignal) => keepStream(sender, path, to, until, locks);
  if (!locks) return keep(listener, signal);
  // People with different tokens may see different jobs and claims, so their tabs share no stream.
  // A renewed token has the same role and id.
  const { role, sub } = bearerOf(await sender.tokens.get().catch(() => ''));
  // An older client passes on no places. So its tabs have another topic.
  const topic = ['rowlock 2', sender.url, path, role, sub].join(' ');
  const fullState = () => state.asEvents();
  await new SharedStream({ locks, topic, keep, fullState, listener, signal }).run();
}
