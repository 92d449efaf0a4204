import type { Database } from '../../../../platform/db/client.ts';
import {
  acceptOffer,
  expireClaims,
  releaseClaim,
  resizeJob,
} from '../../../../service/claims/claim.ts';
import { ClaimQueue } from '../../../../service/claims/group-commit.ts';
import { QUEUE_LIMITS } from '../../../../service/claims/limits.ts';
import { joinLine, leaveLine } from '../../../../service/waitlist/line.ts';
import { claimIdOf } from '../rows.ts';
import type { LineRequest, Outcome, WaitlistStrategy } from '../strategy.ts';

const OFFER_MINUTES = 15;
/** How many claims the cleanup removes at most. */
const MOST_CLAIMS = 10;

/**
 * The code of the service's claims and waitlists, and not a copy. `changeSlots` locks the job, gives
 * the free slots to the line, makes the change, and gives what the change has freed to the line. A
 * recruiter who has an offer keeps the row in the line until the offer ends.
 */
export const production: WaitlistStrategy = {
  name: 'production',
  idea: "the service's own functions: offer-under-lock, with claims in batches",
  promise: 'line',
  ofProduction: true,
  change,
};

async function change(db: Database, request: LineRequest): Promise<Outcome> {
  switch (request.kind) {
    case 'claim': {
      const { kind } = await new ClaimQueue(db, QUEUE_LIMITS, ignore).claim(request);
      return kind === 'claimed' || kind === 'full' ? { kind } : unexpected(kind);
    }
    case 'join': {
      const { kind } = await joinLine(db, request, OFFER_MINUTES);
      return kind === 'in-line' ? { kind: 'in line' } : unexpected(kind);
    }
    case 'leave': {
      // A recruiter whose offer has ended is not in line any more.
      await leaveLine(db, request);
      return { kind: 'left' };
    }
    case 'release': {
      const { kind } = await releaseClaim(db, { id: claimIdOf(request) });
      return kind === 'done' ? { kind: 'released' } : unexpected(kind);
    }
    case 'accept': {
      const { kind } = await acceptOffer(db, { id: claimIdOf(request) });
      return { kind: kind === 'done' ? 'accepted' : 'lapsed' };
    }
    case 'resize': {
      const { jobId, capacity } = request;
      const { kind } = await db.transaction((tx) => resizeJob(tx, jobId, capacity));
      return kind === 'resized' ? { kind } : unexpected(kind);
    }
    case 'clean up':
      await db.transaction((tx) => expireClaims(tx, MOST_CLAIMS));
      return { kind: 'cleaned up' };
  }
}

/** Throws. The judge then finds an unhandled error. */
function unexpected(kind: string): never {
  throw new Error(`the service answered ${kind}`);
}

/** Does nothing. The lab has no log for errors after an answer. */
const ignore = () => undefined;
