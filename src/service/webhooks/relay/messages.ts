import { isSlotFree, slotsOf } from '../../claims/rules.ts';
import { idBody, instantBody } from '../../http/schemas.ts';
import type { EventKind } from '../../outbox/tables.ts';
import type { MessageType } from '../tables.ts';

/** A change of a job's slots. `capacity` and `claimed` are the numbers after the change. */
export interface SlotChange {
  kind: EventKind;
  /** Null if nobody knows the old capacity. */
  capacityBefore: number | null;
  capacity: number;
  claimed: number;
}

/** An event of a job, with the names that a receiver would otherwise ask for. */
export interface RelayedEvent extends SlotChange {
  /** The running number of the job's events. */
  number: number;
  at: Date;
  job: { id: bigint; role: string };
  company: { id: bigint; name: string };
  /** Null for the kind `resized`. The recruiter has no name if somebody has deleted its row. */
  claim: {
    id: bigint;
    recruiter: { id: bigint; name: string | null };
    expiresAt: Date | null;
  } | null;
}

/** The type of the message about a claim. Events of other kinds make no message about a claim. */
const typeOfClaim: Partial<Record<EventKind, MessageType>> = {
  claimed: 'claim.created',
  released: 'claim.released',
  expired: 'claim.expired',
};

/** How many claims each kind of event adds. */
const added: Partial<Record<EventKind, number>> = { claimed: 1, released: -1, expired: -1 };

/** The messages about an event. `job.full` and `job.open` follow the message about the claim. */
export function messageTypesOf(change: SlotChange): MessageType[] {
  const { kind, capacityBefore, capacity, claimed } = change;
  const claimedBefore = claimed - (added[kind] ?? 0);
  const isOpen = isSlotFree(slotsOf(capacity, claimed));
  // If nobody knows the old capacity, we assume a change. The message may then be no news for the
  // receiver. Such a message does no harm, but a missing message would do harm.
  const wasOpen =
    capacityBefore === null ? !isOpen : isSlotFree(slotsOf(capacityBefore, claimedBefore));
  const ofClaim = typeOfClaim[kind];
  const types: MessageType[] = ofClaim ? [ofClaim] : [];
  if (wasOpen && !isOpen) types.push('job.full');
  if (!wasOpen && isOpen) types.push('job.open');
  return types;
}

/**
 * The body of a message. The body has everything that a receiver needs, so the receiver need not
 * ask the service.
 */
export function messageOf(type: MessageType, event: RelayedEvent): string {
  const { job, company, claim } = event;
  return bodyOf(type, event.at, {
    number: event.number,
    job: {
      id: idBody(job.id),
      role: job.role,
      company: { id: idBody(company.id), name: company.name },
    },
    ...(type.startsWith('claim.') && claim && { claim: claimBody(claim) }),
    slots: slotsOf(event.capacity, event.claimed),
  });
}

const claimBody = ({ id, recruiter, expiresAt }: NonNullable<RelayedEvent['claim']>) => ({
  id: idBody(id),
  recruiter: { id: idBody(recruiter.id), name: recruiter.name },
  expiresAt: instantBody(expiresAt),
});

/** The type of the message that tests an endpoint. */
export const TEST_TYPE = 'endpoint.test';

export const testMessageOf = (at: Date, endpointId: bigint): string =>
  bodyOf(TEST_TYPE, at, { endpoint: { id: idBody(endpointId) } });

/** A body as the Standard Webhooks specification recommends. */
const bodyOf = (type: string, timestamp: Date, data: object): string =>
  JSON.stringify({ type, timestamp: timestamp.toISOString(), data });
