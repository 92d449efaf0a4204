import { etcdStore } from './etcd.ts';
import { redisStore } from './redis.ts';
import { StoreMissing } from './store.ts';

/** The stores that strategies may need in addition to PostgreSQL. */
const stores = { redis: redisStore, etcd: etcdStore };
export type StoreName = keyof typeof stores;

interface MayNeed {
  needs?: StoreName;
}

/** Returns why a strategy cannot run on this machine, or undefined if it can run. */
export const missingFor = ({ needs }: MayNeed): string | undefined =>
  needs && stores[needs].missing;

/** Throws a `StoreMissing` if a strategy cannot run on this machine. */
export function assertCanRun(strategy: MayNeed) {
  const missing = missingFor(strategy);
  if (missing !== undefined) throw new StoreMissing(missing);
}

/** Ends the stores that this process has started. */
export const closeStores = () => Promise.all(Object.values(stores).map((store) => store.close()));
