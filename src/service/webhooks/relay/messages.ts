import { isSlotFree, slotsOf } from '../../claims/rules.ts';
import { idBody, instantBody } from '../../http/schemas.ts';
import type { EventKind } from '../../outbox/tables.ts';
import type { MessageType } from '../tables.ts';

/** A change of a job's slots. The numbers are those after the change. */
export interface SlotChange {
  kind: EventKind;
  /** Null if nobody knows the old capacity. */
  capacityBefore: number | null;
  capacity: number;
  claimed: number;
}

/** An event of a job, with the names that a receiver would otherwise have to request. */
export interface RelayedEvent extends SlotChange {
  /** The sequence number of the event among the job's events. */
  number: number;
  at: Date;
  job: { id: bigint; role: string };
  company: { id: bigint; name: string };
  /** Null for the kind `resized`. The name is null if somebody has deleted the recruiter. */
  recruiter: { id: bigint; name: string | null } | null;
  /** Null for `resized`, `joined` and `left`. */
  claim: { id: bigint; expiresAt: Date | null } | null;
  /** How many recruiters waited after the event. Null if the writer did not know. */
  waiting: number | null;
}

/** The type of the message about a recruiter, for each kind of event that has such a message. */
const typeAboutRecruiter: Partial<Record<EventKind, MessageType>> = {
  claimed: 'claim.created',
  released: 'claim.released',
  expired: 'claim.expired',
  offered: 'slot.offered',
  accepted: 'offer.accepted',
  declined: 'offer.declined',
  lapsed: 'offer.lapsed',
  joined: 'waitlist.joined',
  left: 'waitlist.left',
};

/** The number that each kind of event adds to the number of claims. */
const added: Partial<Record<EventKind, number>> = {
  claimed: 1,
  released: -1,
  expired: -1,
  offered: 1,
  declined: -1,
  lapsed: -1,
};

/**
 * Returns the types of the messages about an event. The message about the recruiter comes before
 * `job.full` or `job.open`.
 */
export function messageTypesOf(change: SlotChange): MessageType[] {
  const { kind, capacityBefore, capacity, claimed } = change;
  const claimedBefore = claimed - (added[kind] ?? 0);
  const isOpen = isSlotFree(slotsOf(capacity, claimed));
  // If nobody knows the old capacity, we assume a change. The receiver may then get a needless
  // message. Such a message does no harm, but a missing message would do harm.
  const wasOpen =
    capacityBefore === null ? !isOpen : isSlotFree(slotsOf(capacityBefore, claimedBefore));
  const aboutRecruiter = typeAboutRecruiter[kind];
  const types: MessageType[] = aboutRecruiter ? [aboutRecruiter] : [];
  if (wasOpen && !isOpen) types.push('job.full');
  if (!wasOpen && isOpen) types.push('job.open');
  return types;
}

/**
 * Makes the body of a message. The body has everything that a receiver needs, so the receiver need
 * not send requests to the service.
 */
export function messageOf(type: MessageType, event: RelayedEvent): string {
  const { job, company } = event;
  return bodyOf(type, event.at, {
    number: event.number,
    job: {
      id: idBody(job.id),
      role: job.role,
      company: { id: idBody(company.id), name: company.name },
    },
    ...(!type.startsWith('job.') && recruiterFields(event)),
    slots: slotsOf(event.capacity, event.claimed),
  });
}

/** Returns the claim, or the line with the recruiter. */
function recruiterFields({ recruiter: whose, claim, waiting }: RelayedEvent) {
  const recruiter = whose && { id: idBody(whose.id), name: whose.name };
  if (!claim) return { line: { recruiter, waiting } };
  return { claim: { id: idBody(claim.id), recruiter, expiresAt: instantBody(claim.expiresAt) } };
}

/** The type of the message that tests an endpoint. */
export const TEST_TYPE = 'endpoint.test';

export const testMessageOf = (at: Date, endpointId: bigint): string =>
  bodyOf(TEST_TYPE, at, { endpoint: { id: idBody(endpointId) } });

/** Makes a body as the Standard Webhooks specification recommends. */
const bodyOf = (type: string, timestamp: Date, data: object): string =>
  JSON.stringify({ type, timestamp: timestamp.toISOString(), data });
