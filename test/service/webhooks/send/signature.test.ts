import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { newSecret, signatureHeaders } from '../../../../src/service/webhooks/send/signature.ts';

const body = JSON.stringify({ type: 'claim.created', data: { title: 'Bäcker 🥨' } });
const message = (secrets: string[]) => ({ id: 'msg_1', at: new Date(), body, secrets });

test('a secret has the form of the specification, and no two secrets are the same', () => {
  const secrets = Array.from({ length: 1000 }, newSecret);
  expect(new Set(secrets).size).toBe(1000);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64').length).toBe(32);
  }
});

test('the headers have the names and the values that the specification asks for', () => {
  const at = new Date('2026-11-22T01:02:03.999Z');
  const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
  expect(signatureHeaders({ id: 'msg_1', at, body, secrets: [secret] })).toEqual({
    'webhook-id': 'msg_1',
    'webhook-timestamp': '1795309323',
    'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
  });
});

test('each of several secrets verifies the same message', () => {
  const secrets = [newSecret(), newSecret()];
  const headers = signatureHeaders(message(secrets));
  expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
  for (const secret of secrets)
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
});

const secret = newSecret();
test.each<[string, (headers: Record<string, string>) => unknown, string, string]>([
  ['another secret', () => undefined, body, newSecret()],
  ['another body', () => undefined, body.replace('created', 'released'), secret],
  ['another id', (headers) => Object.assign(headers, { 'webhook-id': 'msg_2' }), body, secret],
  [
    'another time',
    (headers) => Object.assign(headers, { 'webhook-timestamp': `${Date.now() / 1000 - 9}` }),
    body,
    secret,
  ],
])('a message with %s is not verified', (_, change, received, used) => {
  const headers = signatureHeaders(message([secret]));
  change(headers);
  expect(() => new Webhook(used).verify(received, headers)).toThrow('No matching signature');
});
