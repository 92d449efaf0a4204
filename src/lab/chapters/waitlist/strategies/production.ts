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

/**
 * The code of the service's claims and waitlists, and not a copy. `changeSlots` locks the job, gives
 * the free slots to the line, makes the change, and gives what the change has freed to the line. A
 * recruiter who has an offer keeps the row in the line until the offer ends.
 */
export const production: WaitlistStrategy = {
  name: 'production',
  idea: 'offer-under-lock, for claims, releases, leases and capacities alike',
  promise: 'line',
  ofProduction: true,
  change,
};

async function change(db: Database, request: LineRequest): Promise<Outcome> {
  switch (request.kind) {
    case 'claim': {
      const server = new ClaimQueue(db, QUEUE_LIMITS, ignore);
      const { kind } = await server.claim(request);
      return { kind: kind === 'claimed' ? 'claimed' : 'full' };
    }
    case 'join':
      await joinLine(db, request, OFFER_MINUTES);
      return { kind: 'in line' };
    case 'leave':
      await leaveLine(db, request);
      return { kind: 'left' };
    case 'release':
      await releaseClaim(db, { id: claimIdOf(request) });
      return { kind: 'released' };
    case 'accept': {
      const { kind } = await acceptOffer(db, { id: claimIdOf(request) });
      return { kind: kind === 'done' ? 'accepted' : 'lapsed' };
    }
    case 'resize':
      await db.transaction((tx) => resizeJob(tx, request.jobId, request.capacity));
      return { kind: 'resized' };
    case 'clean up':
      await db.transaction((tx) => expireClaims(tx, 1));
      return { kind: 'cleaned up' };
  }
}

/** Does nothing. The lab has no log for errors after an answer. */
const ignore = () => undefined;
