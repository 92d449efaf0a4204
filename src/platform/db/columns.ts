import { bigint, timestamp } from 'drizzle-orm/pg-core';

/** Ids have 64 bits, so they are `bigint` in the code. A `number` would round large ids. */
export const id = () => bigint({ mode: 'bigint' }).primaryKey().generatedByDefaultAsIdentity();
export const instant = (name: string) => timestamp(name, { withTimezone: true });
