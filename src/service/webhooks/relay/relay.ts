import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import { anyOf } from '../../../platform/db/arrays.ts';
import type { Database, Transaction } from '../../../platform/db/client.ts';
import { NOW } from '../../../platform/db/clock.ts';
import {
  isCausedBy,
  isConnectionLost,
  isNothingDone,
  SQLSTATE,
} from '../../../platform/db/sqlstate.ts';
import { MAY_HAVE_EFFECTS } from '../../database/installation.ts';
import { companies, recruiters } from '../../database/schema.ts';
import { events } from '../../outbox/tables.ts';
import { endpoints, unrelayed } from '../tables.ts';
import { makeDeliveries, type NewDelivery } from './make-deliveries.ts';
import { messageOf, messageTypesOf, type RelayedEvent } from './messages.ts';

/**
 * The maximum number of events of one transaction. An event becomes at most two messages to each of
 * ten endpoints. So a transaction makes at most 10,000 deliveries, about 5 MB of text.
 */
export const LARGEST_RELAY = 500;

/** Selects a row if any event waits for a relay, even if the event is set aside. */
export const ANY_UNRELAYED = sql`select true from ${unrelayed} order by event_id limit 1`;

/** How long an event is set aside after the event made a relay fail. */
const SET_ASIDE = sql`interval '1 minute'`;

const isDue = sql`(${unrelayed.setAsideUntil} is null or ${unrelayed.setAsideUntil} <= ${NOW})
  and ${MAY_HAVE_EFFECTS}`;

/**
 * Makes the deliveries of up to 500 events, and returns the number of these events. Any number of
 * relays may run at the same time, and only one relay takes each event.
 *
 * An event that makes the transaction fail is set aside for a minute. Such an event must not stop
 * the others.
 */
export async function relayEvents(
  db: Database,
  onSetAside: (eventId: bigint, error: unknown) => void,
): Promise<number> {
  // The relay checks after each commit of this process. Without events, the check begins no
  // transaction.
  const [note] = await db.execute(ANY_UNRELAYED);
  if (!note) return 0;
  try {
    return await db.transaction((tx) => relay(tx, isDue, LARGEST_RELAY));
  } catch (error) {
    // A statement about 500 events may take too long, although a statement about one event does
    // not.
    const isTooLong = isCausedBy(error, SQLSTATE.queryCanceled);
    if (!isTooLong && (isNothingDone(error) || isConnectionLost(error))) throw error;
    return relayOneByOne(db, onSetAside);
  }
}

async function relayOneByOne(
  db: Database,
  onSetAside: (eventId: bigint, error: unknown) => void,
): Promise<number> {
  const due = await db
    .select()
    .from(unrelayed)
    .where(isDue)
    .orderBy(asc(unrelayed.eventId))
    .limit(LARGEST_RELAY);
  for (const { eventId } of due) {
    const only = eq(unrelayed.eventId, eventId);
    try {
      await db.transaction((tx) => relay(tx, only, 1));
    } catch (error) {
      if (isNothingDone(error) || isConnectionLost(error)) throw error;
      const setAsideUntil = sql`${NOW} + ${SET_ASIDE}`;
      await db.update(unrelayed).set({ setAsideUntil }).where(only);
      onSetAside(eventId, error);
    }
  }
  return due.length;
}

/**
 * Removes notes (the rows of `unrelayed`), and makes the deliveries of their events in the same
 * transaction. So a relay that dies loses nothing, and no event is relayed twice.
 */
async function relay(tx: Transaction, wanted: SQL, limit: number): Promise<number> {
  const taken = await takeNotes(tx, wanted, limit);
  if (taken.length === 0) return 0;
  const notes = new Map(taken.map((note) => [note.eventId, note]));
  const found = await findEvents(tx, [...notes.keys()]);
  const wantedDeliveries = found.flatMap(({ eventId, endpointId, types, ...event }) => {
    const { endpointIds = [], capacityBefore = null } = notes.get(eventId) ?? {};
    // If the note does not name the endpoint, the endpoint was added or enabled after the event.
    if (!endpointIds.includes(endpointId)) return [];
    const whole = { ...event, capacityBefore };
    return messageTypesOf(whole)
      .filter((type) => types.includes(type))
      .map((type): NewDelivery => ({ endpointId, type, body: messageOf(type, whole) }));
  });
  if (wantedDeliveries.length > 0) await makeDeliveries(tx, wantedDeliveries);
  return taken.length;
}

/**
 * THE LOCK: other relays skip the notes that we have locked. The deletion of the notes commits
 * together with the deliveries.
 */
async function takeNotes(tx: Transaction, wanted: SQL, limit: number) {
  const locked = tx
    .$with('locked')
    .as(
      tx
        .select({ eventId: unrelayed.eventId })
        .from(unrelayed)
        .where(wanted)
        .orderBy(asc(unrelayed.eventId))
        .limit(limit)
        .for('update', { skipLocked: true }),
    );
  return tx
    .with(locked)
    .delete(unrelayed)
    .where(sql`${unrelayed.eventId} in (select ${locked.eventId} from ${locked})`)
    .returning();
}

type EventForEndpoint = Omit<RelayedEvent, 'capacityBefore'> & {
  eventId: bigint;
  endpointId: bigint;
  types: string[];
};

/**
 * Finds the events with these ids. Each event comes once for each enabled endpoint of its company.
 */
async function findEvents(tx: Transaction, ids: bigint[]): Promise<EventForEndpoint[]> {
  const rows = await tx
    .select({
      event: events,
      endpointId: endpoints.id,
      types: endpoints.types,
      companyName: companies.name,
      recruiterName: recruiters.name,
    })
    .from(events)
    .innerJoin(endpoints, and(eq(endpoints.companyId, events.companyId), endpoints.enabled))
    .innerJoin(companies, eq(companies.id, events.companyId))
    .leftJoin(recruiters, eq(recruiters.id, events.recruiterId))
    .where(anyOf(events.id, ids))
    .orderBy(asc(events.id), asc(endpoints.id));
  return rows.map(({ event, endpointId, types, companyName, recruiterName }) => ({
    eventId: event.id,
    endpointId,
    types,
    kind: event.kind,
    number: event.number,
    at: event.at,
    capacity: event.capacity,
    claimed: event.claimed,
    job: { id: event.jobId, role: event.role },
    company: { id: event.companyId, name: companyName },
    recruiter: event.recruiterId === null ? null : { id: event.recruiterId, name: recruiterName },
    claim: event.claimId === null ? null : { id: event.claimId, expiresAt: event.expiresAt },
    waiting: event.waiting,
  }));
}

/**
 * Returns the age in seconds of the oldest event that no relay has read, or 0 if there is no such
 * event.
 */
export async function readRelayLag(db: Database): Promise<number> {
  const [row] = await db.execute<{ seconds: number }>(sql`
    select extract(epoch from ${NOW} - ${events.at})::float as seconds
    from ${unrelayed} join ${events} on ${events.id} = ${unrelayed.eventId}
    order by ${unrelayed.eventId} limit 1`);
  return Math.max(0, row?.seconds ?? 0);
}
