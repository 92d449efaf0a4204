import { onTestFinished } from 'vitest';
import { openRelay } from '../../proof/faults/relay.ts';

/** Opens a relay to the database for one test. The test can cut or freeze the relay. */
export async function makeWay(databaseUrl: string) {
  const relay = await openRelay(databaseUrl);
  onTestFinished(() => relay.cut());
  return relay;
}
