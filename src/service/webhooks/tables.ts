import { sql } from 'drizzle-orm';
import { bigint, boolean, index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { id, instant } from '../db/columns.ts';
import { companies } from '../db/schema.ts';

/** The types of messages. An endpoint names the types that it wants. */
export const messageTypes = [
  'claim.created',
  'claim.released',
  'claim.expired',
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
    types: jsonb().$type<MessageType[]>().notNull(),
    description: text().notNull().default(''),
    enabled: boolean().notNull().default(true),
    /**
     * Why the service disabled the endpoint. Null if the endpoint is enabled, or if a person disabled
     * the endpoint.
     */
    disabledBecause: text('disabled_because').$type<(typeof disablings)[number]>(),
    /** The first failure since the latest success. Null if no attempt has failed since then. */
    failingSince: instant('failing_since'),
    secret: text().notNull(),
    /** The secret before the latest rotation. Both secrets sign until `oldSecretUntil`. */
    oldSecret: text('old_secret'),
    oldSecretUntil: instant('old_secret_until'),
    /** The task of the latest resend of all messages. The resend is open until this task ends. */
    resendTaskId: bigint('resend_task_id', { mode: 'bigint' }),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [index('webhook_endpoints_company_id_idx').on(table.companyId, table.id)],
);

/**
 * The events that no relay has read yet. A trigger notes the changes of slots at companies with
 * enabled endpoints.
 */
export const unrelayed = pgTable('webhook_unrelayed', {
  eventId: bigint('event_id', { mode: 'bigint' }).primaryKey(),
  /**
   * The job's capacity before the event. The event itself has the capacity after the change. Null
   * if `resized` is the first event of its job. Such a job is older than the events, so nobody
   * knows its old capacity.
   */
  capacityBefore: integer('capacity_before'),
  /** The endpoints of the company that were enabled when the event happened. */
  endpointIds: bigint('endpoint_ids', { mode: 'bigint' }).array().notNull(),
  /** Until this time no relay takes the event, because the event made a relay fail. */
  setAsideUntil: instant('set_aside_until'),
});

/** Each message to each endpoint. A task delivers the message. */
export const deliveries = pgTable(
  'webhook_deliveries',
  {
    id: id(),
    /**
     * There is no foreign key, because an endpoint may have millions of deliveries. Deleting the
     * endpoint would take too long. The deliveries are cleared when they are old.
     */
    endpointId: bigint('endpoint_id', { mode: 'bigint' }).notNull(),
    /**
     * The header `webhook-id`. Repeats and resends have the same id. The id is random, because a
     * restored database gives the same numbers again. Receivers would then take new messages for
     * repeats, and drop them.
     */
    messageId: text('message_id')
      .notNull()
      .default(sql`'msg_' || replace(gen_random_uuid()::text, '-', '')`),
    type: text().notNull(),
    /** The body, made once. Every attempt sends the same bytes. */
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
