import { and, asc, eq, getTableColumns, gt, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../../platform/db/client.ts';
import { NOW } from '../../../platform/db/clock.ts';
import { companies } from '../../database/schema.ts';
import { type Page, paged } from '../../http/schemas.ts';
import { pausedUntil, resumeLane } from '../../queue/lanes.ts';
import type { Own } from '../own.ts';
import { newSecret } from '../send/signature.ts';
import { endpoints } from '../tables.ts';
import { LANE_OF_ENDPOINT, laneOf } from './lane.ts';

/**
 * The maximum number of endpoints of a company. The number is limited, because each event may
 * become messages to every endpoint.
 */
export const MOST_ENDPOINTS = 10;
/** How long the old secret signs together with the new secret after a rotation. */
const OVERLAP = sql`interval '1 day'`;
/** If an endpoint has failed for this long, its next failure disables it. */
export const LONGEST_FAILURE = sql`interval '5 days'`;

const {
  secret: _secret,
  oldSecret: _oldSecret,
  resendTaskId: _resendTaskId,
  ...shown
} = getTableColumns(endpoints);
/** The columns of an endpoint that the service shows in its answers. */
const columns = {
  ...shown,
  /** The first failure after this time disables the endpoint. */
  disablesAt: sql<Date | null>`case when ${endpoints.enabled}
    then ${endpoints.failingSince} + ${LONGEST_FAILURE} end`.mapWith(endpoints.failingSince),
  /** The receiver asked for a pause until this time. Null if there is no pause now. */
  pausedUntil: sql<Date | null>`nullif(
    greatest(${NOW}, ${pausedUntil(LANE_OF_ENDPOINT)}), ${NOW})`.mapWith(endpoints.failingSince),
};

export type Endpoint = Omit<
  typeof endpoints.$inferSelect,
  'secret' | 'oldSecret' | 'resendTaskId'
> & {
  disablesAt: Date | null;
  pausedUntil: Date | null;
};

const isOwn = ({ id, companyId }: Own) =>
  and(
    eq(endpoints.id, id),
    companyId === undefined ? undefined : eq(endpoints.companyId, companyId),
  );

type EndpointValues = Pick<typeof endpoints.$inferInsert, 'url' | 'types' | 'description'>;

export type NewEndpointOutcome =
  | { kind: 'created'; endpoint: Endpoint; secret: string }
  | { kind: 'no-such-company' }
  | { kind: 'too-many' };

/** Adds an endpoint with a new secret. */
export async function insertEndpoint(
  tx: Transaction,
  companyId: bigint,
  values: EndpointValues,
): Promise<NewEndpointOutcome> {
  // THE LOCK: requests for the same company run one after the other, so the next request counts our
  // new endpoint.
  const [company] = await tx
    .select({ id: companies.id })
    .from(companies)
    .where(eq(companies.id, companyId))
    .for('no key update');
  if (!company) return { kind: 'no-such-company' };
  const present = await tx.$count(endpoints, eq(endpoints.companyId, companyId));
  if (present >= MOST_ENDPOINTS) return { kind: 'too-many' };
  const secret = newSecret();
  const [endpoint] = await tx
    .insert(endpoints)
    .values({ ...values, companyId, secret })
    .returning(columns);
  if (!endpoint) throw new Error('INSERT … RETURNING gave no row');
  return { kind: 'created', endpoint, secret };
}

/** Lists a page of the endpoints of a company, in the order of their ids. */
export async function listEndpoints(db: Database, companyId: bigint, page: Page) {
  const { cursor = 0n, limit } = page;
  const rows = await db
    .select(columns)
    .from(endpoints)
    .where(and(eq(endpoints.companyId, companyId), gt(endpoints.id, cursor)))
    .orderBy(asc(endpoints.id))
    .limit(limit + 1);
  return paged(rows, page);
}

export async function findEndpoint(
  db: Database | Transaction,
  own: Own,
): Promise<Endpoint | undefined> {
  const [endpoint] = await db.select(columns).from(endpoints).where(isOwn(own));
  return endpoint;
}

/** Finds an endpoint, and locks its row until the transaction ends. */
export async function lockEndpoint(tx: Transaction, own: Own): Promise<Endpoint | undefined> {
  const [endpoint] = await tx
    .select(columns)
    .from(endpoints)
    .where(isOwn(own))
    .for('no key update');
  return endpoint;
}

type EndpointChange = Parameters<ReturnType<Database['update']>['set']>[0];

/** Changes an endpoint, and returns it. Returns undefined if the endpoint does not exist. */
async function change(
  db: Database | Transaction,
  own: Own,
  values: EndpointChange,
): Promise<Endpoint | undefined> {
  const [endpoint] = await db.update(endpoints).set(values).where(isOwn(own)).returning(columns);
  return endpoint;
}

/** Changes an endpoint, and clears its failures and its pause. */
const changeAndResume = (db: Database | Transaction, own: Own, values: EndpointChange) =>
  db.transaction(async (tx) => {
    const endpoint = await change(tx, own, { ...values, failingSince: null });
    if (!endpoint) return undefined;
    await resumeLane(tx, laneOf(endpoint.id));
    return { ...endpoint, pausedUntil: null };
  });

/** Changes an endpoint. A new address clears the failures and the pause of the old address. */
export const changeEndpoint = (
  db: Database | Transaction,
  own: Own,
  values: Partial<EndpointValues>,
) => (values.url === undefined ? change : changeAndResume)(db, own, values);

export const enableEndpoint = (db: Database | Transaction, own: Own) =>
  changeAndResume(db, own, { enabled: true, disabledBecause: null });

/**
 * Disables an endpoint, and ends its open resend. Otherwise the open resend would block the next
 * resend after somebody enables the endpoint again.
 */
export const disableEndpoint = (db: Database | Transaction, own: Own) =>
  change(db, own, { enabled: false, resendTaskId: null });

/** Gives an endpoint a new secret. The old secret signs for another day. */
export async function rotateSecret(db: Database | Transaction, own: Own) {
  const secret = newSecret();
  const endpoint = await change(db, own, {
    secret,
    oldSecret: endpoints.secret,
    oldSecretUntil: sql`${NOW} + ${OVERLAP}`,
  });
  return endpoint && { endpoint, secret };
}

/**
 * Deletes an endpoint, and returns the endpoint as it was. The tasks of the endpoint stay, but find
 * no endpoint and end without sending.
 */
export const deleteEndpoint = (
  db: Database | Transaction,
  own: Own,
): Promise<Endpoint | undefined> =>
  db.transaction(async (tx) => {
    const [endpoint] = await tx.delete(endpoints).where(isOwn(own)).returning(columns);
    if (endpoint) await resumeLane(tx, laneOf(endpoint.id));
    return endpoint;
  });
