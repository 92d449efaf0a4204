import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';
import { companies } from '../db/schema.ts';

const id = () => bigint({ mode: 'bigint' }).primaryKey().generatedByDefaultAsIdentity();
const instant = (name: string) => timestamp(name, { withTimezone: true });

/** The types of messages. An endpoint names the types that it wants. */
export const messageTypes = [
  'claim.created',
  'claim.released',
  'claim.expired',
  'job.full',
  'job.open',
] as const;
export type MessageType = (typeof messageTypes)[number];

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
    /** Why the service disabled the endpoint. Null if a person did, or if it is enabled. */
    disabledBecause: text('disabled_because').$type<'gone' | 'failing'>(),
    /** Since when no delivery has succeeded. Null after a success. */
    failingSince: instant('failing_since'),
    secret: text().notNull(),
    /** The secret before the latest rotation. Both secrets sign until `oldSecretUntil`. */
    oldSecret: text('old_secret'),
    oldSecretUntil: instant('old_secret_until'),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [index('webhook_endpoints_company_id_idx').on(table.companyId, table.id)],
);

/** The events that no relay has read yet. A trigger adds the events of companies with endpoints. */
export const unrelayed = pgTable('webhook_unrelayed', {
  eventId: bigint('event_id', { mode: 'bigint' }).primaryKey(),
});

/** Each message to each endpoint. A task delivers it. */
export const deliveries = pgTable(
  'webhook_deliveries',
  {
    id: id(),
    endpointId: bigint('endpoint_id', { mode: 'bigint' })
      .notNull()
      .references(() => endpoints.id, { onDelete: 'cascade' }),
    /** The header `webhook-id`. Repeats and resends of the delivery have the same id. */
    messageId: text('message_id').notNull(),
    type: text().notNull(),
    /** The body, made once. Every attempt sends the same bytes. */
    body: text().notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    /** The task of the latest send or resend. */
    taskId: bigint('task_id', { mode: 'bigint' }),
    deliveredAt: instant('delivered_at'),
  },
  (table) => [index('webhook_deliveries_endpoint_id_id_idx').on(table.endpointId, table.id)],
);

/** Each attempt to deliver a message. */
export const deliveryAttempts = pgTable(
  'webhook_attempts',
  {
    id: id(),
    deliveryId: bigint('delivery_id', { mode: 'bigint' })
      .notNull()
      .references(() => deliveries.id, { onDelete: 'cascade' }),
    at: instant('at').notNull().defaultNow(),
    milliseconds: integer().notNull(),
    /** The status of the answer. Null if no answer came. */
    status: integer(),
    /** The first line of the answer's body, or the reason why no answer came. */
    detail: text().notNull().default(''),
  },
  (table) => [index('webhook_attempts_delivery_id_idx').on(table.deliveryId, table.id)],
);
