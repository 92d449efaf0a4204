import { onTestFinished } from 'vitest';
import { openRelay } from '../../src/faults/relay.ts';

/** A way to the database for one test, which can be cut or freeze. */
export async function makeWay(databaseUrl: string) {
  const relay = await openRelay(databaseUrl);
  onTestFinished(() => relay.cut());
  return relay;
}
