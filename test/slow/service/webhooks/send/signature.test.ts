import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { newSecret, signatureHeaders } from '../../../../../src/service/webhooks/send/signature.ts';

test('the package standardwebhooks verifies every message', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.json({ stringUnit: 'binary' }), (id, text) => {
      const secret = newSecret();
      const headers = signatureHeaders({ id, at: new Date(), body: text, secrets: [secret] });
      expect(new Webhook(secret).verify(text, headers)).toEqual(JSON.parse(text));
    }),
  );
});
