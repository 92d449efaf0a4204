import { sql } from 'drizzle-orm';
import { bigint, boolean, index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { id, instant } from '../../platform/db/columns.ts';
import { companies } from '../database/schema.ts';

/** The types of messages. Each endpoint has a list of the types that it gets. */
export const messageTypes = [
  'claim.created',
  'claim.released',
  'claim.expired',
  'slot.offered',
  'offer.accepted',
  'offer.declined',
  'offer.lapsed',
  'waitlist.joined',
  'waitlist.left',
  'job.full',
  'job.open',
] as const;
export type MessageType = (typeof messageTypes)[number];

/** Why the service disabled an endpoint. */
export const disablings = ['gone', 'failing'] as const;

/** The webhook addresses of the companies. */
export const endpoints = pgTable(
  'webhook_endpoints',
  {
    id: id(),
    companyId: bigint('company_id', { mode: 'bigint' })
      .notNull()
      .references(() => companies.id),
    url: text().notNull(),
    /**
     * The types of messages that the endpoint gets. If a request names no types, the service stores
     * all types that exist at that time. So the endpoint does not get types that are added later.
     */
    types: jsonb().$type<MessageType[]>().notNull(),
    description: text().notNull().default(''),
    enabled: boolean().notNull().default(true),
    /**
     * Why the service disabled the endpoint. Null if the endpoint is enabled, or if a person
     * disabled the endpoint.
     */
    disabledBecause: text('disabled_because').$type<(typeof disablings)[number]>(),
    /** The time of the first failure since the latest success. Null if no attempt failed since. */
    failingSince: instant('failing_since'),
    secret: text().notNull(),
    /** The secret before the latest rotation. Both secrets sign until `oldSecretUntil`. */
    oldSecret: text('old_secret'),
    oldSecretUntil: instant('old_secret_until'),
    /** The task of the latest resend of all messages. The resend is open until the task ends. */
    resendTaskId: bigint('resend_task_id', { mode: 'bigint' }),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [index('webhook_endpoints_company_id_idx').on(table.companyId, table.id)],
);

/**
 * The events that no relay has read yet. The trigger function `note_unrelayed` adds a row for each
 * event at a company with an enabled endpoint (see drizzle/0015_line-messages.sql). The function leaves
 * out all kinds of events that its WHERE clause does not list.
 */
export const unrelayed = pgTable('webhook_unrelayed', {
  eventId: bigint('event_id', { mode: 'bigint' }).primaryKey(),
  /**
   * The job's capacity before the event. The row of the event has the capacity after the event.
   * This column is null if the event `resized` has no earlier event. Such a job is older than the
   * table of events, so nobody knows its old capacity.
   */
  capacityBefore: integer('capacity_before'),
  /** The endpoints of the company that were enabled when the event happened. */
  endpointIds: bigint('endpoint_ids', { mode: 'bigint' }).array().notNull(),
  /** The event made a relay fail, so no relay takes the event before this time. */
  setAsideUntil: instant('set_aside_until'),
});

/** The deliveries. Each row is one message to one endpoint, and a task sends this message. */
export const deliveries = pgTable(
  'webhook_deliveries',
  {
    id: id(),
    /**
     * There is no foreign key, because an endpoint may have millions of deliveries. With a foreign
     * key, deleting the endpoint would take too long. The cleanup removes old deliveries.
     */
    endpointId: bigint('endpoint_id', { mode: 'bigint' }).notNull(),
    /**
     * The header `webhook-id`. Retries and resends of a message have the same id. The id is random,
     * because a sequence of a restored database gives the same numbers again. Receivers would then
     * take new messages for repeats, and drop the new messages.
     */
    messageId: text('message_id')
      .notNull()
      .default(sql`'msg_' || replace(gen_random_uuid()::text, '-', '')`),
    type: text().notNull(),
    /** The body. We make the body once, so every attempt sends the same bytes. */
    body: text().notNull(),
    createdAt: instant('created_at').notNull().default(sql`statement_timestamp()`),
    /** The task of the latest send or resend. */
    taskId: bigint('task_id', { mode: 'bigint' }).notNull(),
    /** Null until the latest send or resend has succeeded. */
    deliveredAt: instant('delivered_at'),
  },
  (table) => [
    index('webhook_deliveries_endpoint_id_id_idx').on(table.endpointId, table.id),
    index('webhook_deliveries_undelivered_idx')
      .on(table.endpointId, table.id)
      .where(sql`${table.deliveredAt} is null`),
  ],
);

/** Each attempt to deliver a message. */
export const deliveryAttempts = pgTable(
  'webhook_attempts',
  {
    id: id(),
    deliveryId: bigint('delivery_id', { mode: 'bigint' })
      .notNull()
      .references(() => deliveries.id, { onDelete: 'cascade' }),
    at: instant('at').notNull(),
    milliseconds: integer().notNull(),
    /** The status of the answer. Null if no answer came. */
    status: integer(),
    /** The first line of the answer's body, or the reason why no answer came. */
    detail: text().notNull().default(''),
  },
  (table) => [index('webhook_attempts_delivery_id_idx').on(table.deliveryId, table.id)],
);
