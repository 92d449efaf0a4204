import { and, count, desc, eq, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../../platform/db/client.ts';
import { type Page, paged } from '../../http/schemas.ts';
import { pausedUntil } from '../../queue/lanes.ts';
import { tasks } from '../../queue/tables.ts';
import type { Own } from '../own.ts';
import { deliveries, deliveryAttempts, endpoints } from '../tables.ts';

export const deliveryStatuses = ['waiting', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export interface DeliveryAttempt {
  at: Date;
  milliseconds: number;
  status: number | null;
  detail: string;
}

export interface Delivery {
  id: bigint;
  endpointId: bigint;
  messageId: string;
  type: string;
  /** The job of the message, as the message names the job. Null for a test message. */
  job: { id: number | string; role: string } | null;
  status: DeliveryStatus;
  createdAt: Date;
  deliveredAt: Date | null;
  /** Null if no attempt follows. */
  nextAttemptAt: Date | null;
  attemptCount: number;
  lastAttempt: DeliveryAttempt | null;
}

export type WholeDelivery = Delivery & { body: string; attempts: DeliveryAttempt[] };

/**
 * The maximum number of attempts that one answer shows. Each resend adds an attempt, so a delivery
 * can have any number of attempts. An answer with 200,000 attempts had 55 MB.
 */
export const MOST_ATTEMPTS = 100;

/**
 * True if an attempt runs or follows. The condition reads the task. We keep no status in the row of
 * the delivery, because the status could become wrong. A worker may be lost during the last
 * attempt, and a person may cancel or retry the task.
 */
const isWaiting = and(
  isNull(deliveries.deliveredAt),
  isNotNull(tasks.id),
  isNull(tasks.finishedAt),
) as SQL;

const hasStatus: Record<DeliveryStatus, SQL | undefined> = {
  waiting: isWaiting,
  delivered: isNotNull(deliveries.deliveredAt),
  failed: and(isNull(deliveries.deliveredAt), sql`not (${isWaiting})`),
};

const shown = {
  id: deliveries.id,
  endpointId: deliveries.endpointId,
  messageId: deliveries.messageId,
  type: deliveries.type,
  job: sql<Delivery['job']>`${deliveries.body}::jsonb #> '{data,job}'`,
  status: sql<DeliveryStatus>`case when ${hasStatus.delivered} then 'delivered'
    when ${isWaiting} then 'waiting' else 'failed' end`,
  createdAt: deliveries.createdAt,
  deliveredAt: deliveries.deliveredAt,
  nextAttemptAt: sql<Date | null>`case when ${isWaiting}
    then greatest(${tasks.runAt}, ${pausedUntil(sql`${tasks.lane}`)}) end`.mapWith(tasks.runAt),
};

const attempted = {
  at: deliveryAttempts.at,
  milliseconds: deliveryAttempts.milliseconds,
  status: deliveryAttempts.status,
  detail: deliveryAttempts.detail,
};

/** Lists a page of the deliveries to an endpoint, newest first. */
export async function listDeliveries(
  db: Database,
  { endpointId, status }: { endpointId: bigint; status?: DeliveryStatus | undefined },
  page: Page,
) {
  const { cursor, limit } = page;
  const ofDelivery = eq(deliveryAttempts.deliveryId, deliveries.id);
  const counted = db
    .select({ attemptCount: count().as('attempt_count') })
    .from(deliveryAttempts)
    .where(ofDelivery)
    .as('counted');
  const latest = db
    .select(attempted)
    .from(deliveryAttempts)
    .where(ofDelivery)
    .orderBy(desc(deliveryAttempts.id))
    .limit(1)
    .as('latest');
  const rows = await db
    .select({
      ...shown,
      attemptCount: counted.attemptCount,
      lastAttempt: {
        at: latest.at,
        milliseconds: latest.milliseconds,
        status: latest.status,
        detail: latest.detail,
      },
    })
    .from(deliveries)
    .leftJoin(tasks, eq(tasks.id, deliveries.taskId))
    .innerJoinLateral(counted, sql`true`)
    .leftJoinLateral(latest, sql`true`)
    .where(
      and(
        eq(deliveries.endpointId, endpointId),
        cursor === undefined ? undefined : lt(deliveries.id, cursor),
        status && hasStatus[status],
      ),
    )
    .orderBy(desc(deliveries.id))
    .limit(limit + 1);
  return paged(rows, page);
}

/**
 * Finds a delivery with its body and its latest attempts. Returns undefined if the delivery or its
 * endpoint does not exist, or if the endpoint belongs to another company.
 */
export async function findDelivery(
  db: Database | Transaction,
  { id, companyId }: Own,
): Promise<WholeDelivery | undefined> {
  const [delivery] = await db
    .select({ ...shown, body: deliveries.body })
    .from(deliveries)
    .innerJoin(endpoints, eq(endpoints.id, deliveries.endpointId))
    .leftJoin(tasks, eq(tasks.id, deliveries.taskId))
    .where(
      and(
        eq(deliveries.id, id),
        companyId === undefined ? undefined : eq(endpoints.companyId, companyId),
      ),
    );
  if (!delivery) return undefined;
  const ofDelivery = eq(deliveryAttempts.deliveryId, id);
  const latest = await db
    .select(attempted)
    .from(deliveryAttempts)
    .where(ofDelivery)
    .orderBy(desc(deliveryAttempts.id))
    .limit(MOST_ATTEMPTS);
  const attemptCount = await db.$count(deliveryAttempts, ofDelivery);
  const lastAttempt = latest[0] ?? null;
  return { ...delivery, attemptCount, lastAttempt, attempts: latest.reverse() };
}
