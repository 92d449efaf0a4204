import { etcdStore } from './etcd.ts';
import { redisStore } from './redis.ts';

/** The stores beside PostgreSQL that strategies may need. */
const stores = { redis: redisStore, etcd: etcdStore };
export type StoreName = keyof typeof stores;

/** Why a strategy cannot run here. Undefined if it can, such as because it needs no store. */
export const missingFor = ({ needs }: { needs?: StoreName }): string | undefined =>
  needs && stores[needs].missing;

/** Ends the stores that this process has started. */
export const closeStores = () => Promise.all(Object.values(stores).map((store) => store.close()));
