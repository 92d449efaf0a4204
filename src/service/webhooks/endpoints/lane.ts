import { sql } from 'drizzle-orm';
import { endpoints } from '../tables.ts';

/** Returns the lane of the tasks for an endpoint. */
export const laneOf = (endpointId: bigint) => `endpoint ${endpointId}`;
export const LANE_OF_ENDPOINT = sql`'endpoint ' || ${endpoints.id}`;
