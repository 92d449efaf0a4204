import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findTarget } from '../../../../../src/service/webhooks/send/target.ts';
import { hostileZone, someUrl } from '../../../../service/webhooks/send/hostile-urls.ts';
import { startNameServer } from '../../../../service/webhooks/send/name-server.ts';
import { isSpecial } from '../../../../service/webhooks/send/special-blocks.ts';
import { atEnd } from '../../../../support/command.ts';

const names = await startNameServer(hostileZone);
atEnd(names.close);
const nameServers = [names.address];
const never = new AbortController().signal;
const strict = { loopback: false, nameServers };

test('every accepted URL has public addresses only', async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(someUrl, async (url) => {
      const found = await findTarget(url, strict, never);
      if (found.kind === 'refused') return;
      accepted += 1;
      expect(found.addresses).not.toEqual([]);
      expect(found.addresses.filter(({ address }) => isSpecial(address))).toEqual([]);
    }),
    { numRuns: 5000 },
  );
  expect(accepted).toBeGreaterThan(200);
});
