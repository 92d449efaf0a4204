import { useMemo, useState } from 'hono/jsx/dom';
import type { CallOptions, Claim } from '../../../client/index.ts';
import { pause } from '../../../platform/waiting/backoff.ts';
import { api } from '../../parts/api.ts';
import { dataOf, insist } from '../../parts/insist.ts';
import type { Id } from '../../parts/jobs/jobs.ts';
import { useEffect } from '../../parts/use-effect.ts';

export type { Claim } from '../../../client/index.ts';

/** The shortest time between two requests, even if many jobs change. */
const PAUSE_MS = 500;

export type Held = ReadonlyMap<Id, Claim>;

/** What a recruiter has of the jobs. */
interface Own {
  /** The recruiter's claims and offers, by job. */
  held: Held;
  /** The recruiter's place in the lines, by job. 1 is the next. */
  places: ReadonlyMap<Id, number>;
}
const NOTHING: Own = { held: new Map(), places: new Map() };

export interface Holding extends Own {
  /** Reads the claims again, for example because one of the jobs has changed. */
  refresh(): void;
  /**
   * Shows the claim that an answer contains. Null means that the recruiter no longer holds the job.
   */
  put(jobId: Id, claim: Claim | null): void;
}

/**
 * Returns the recruiter's claims on these jobs, and the places in their lines. The page reads the claims with ordinary requests.
 * Rejected: a stream of claims for each recruiter. All tabs of a browser together may have five
 * streams. Five tabs with five recruiters would need six streams, five for claims and one for jobs.
 */
export function useHeld(recruiterId: string, ids: readonly Id[]): Holding {
  const [own, setOwn] = useState<Own>(NOTHING);
  const key = ids.join();
  const asking = useMemo(() => new Asking(recruiterId, ids, setOwn), [recruiterId, key]);
  useEffect(() => setOwn(NOTHING), [recruiterId]);
  useEffect(() => {
    asking.refresh();
    return () => asking.stop();
  }, [asking]);
  return {
    ...own,
    refresh: () => asking.refresh(),
    put(jobId, claim) {
      // This answer comes too late: the page now shows another recruiter or other jobs.
      if (asking.isStopped) return;
      asking.outdate();
      setOwn((before) => ({ ...before, held: withClaim(before.held, jobId, claim) }));
      asking.refresh();
    },
  };
}

function withClaim(before: Held, jobId: Id, claim: Claim | null): Held {
  const after = new Map(before);
  if (claim) after.set(jobId, claim);
  else after.delete(jobId);
  return after;
}

/**
 * Reads the claims and the places with one attempt at a time. All calls of `refresh` during a request lead to a
 * single further request.
 */
class Asking {
  readonly #recruiterId: string;
  readonly #ids: readonly Id[];
  readonly #onOwn: (own: Own) => void;
  readonly #stopping = new AbortController();
  #isWanted = false;
  #isRunning = false;
  #answersCounted = 0;

  constructor(recruiterId: string, ids: readonly Id[], onOwn: (own: Own) => void) {
    this.#recruiterId = recruiterId;
    this.#ids = ids;
    this.#onOwn = onOwn;
  }

  stop() {
    this.#stopping.abort();
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /**
   * Ignores the answer of the running request, because this answer may be older than the latest
   * change.
   */
  outdate() {
    this.#answersCounted++;
  }

  refresh() {
    this.#isWanted = true;
    if (!this.#isRunning && this.#recruiterId && this.#ids.length > 0) void this.#run();
  }

  async #run() {
    const { signal } = this.#stopping;
    this.#isRunning = true;
    while (this.#isWanted && !signal.aborted) {
      this.#isWanted = false;
      const counted = this.#answersCounted;
      // We ignore a final refusal here, because the next claim shows the refusal in words.
      const own = await insist((options) => this.#ask(options), signal).catch(() => undefined);
      if (own && counted === this.#answersCounted && !signal.aborted) this.#onOwn(own);
      await pause(PAUSE_MS, signal);
    }
    this.#isRunning = false;
  }

  async #ask(options: CallOptions): Promise<Own> {
    const args = { id: this.#recruiterId, jobId: this.#ids, limit: 100 };
    const [{ claims }, lines] = await Promise.all([
      api.listClaimsOfRecruiter(args, options).then(dataOf),
      api.listWaitlistsOfRecruiter(args, options),
    ]);
    // During a rolling upgrade, a server of the version before may answer. It knows no lines.
    const code: string | undefined = lines.code;
    const entries = code === 'not-found' ? [] : dataOf(lines).entries;
    return {
      held: new Map(claims.map((claim) => [claim.jobId, claim])),
      places: new Map(
        entries.flatMap(({ jobId, place }) => (place === null ? [] : [[jobId, place]])),
      ),
    };
  }
}
