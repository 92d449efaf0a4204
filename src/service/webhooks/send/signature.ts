import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/**
 * The length of a secret. The Standard Webhooks specification asks for 24 to 64 bytes. We use 32
 * bytes, the size of a SHA-256 hash.
 */
const SECRET_BYTES = 32;

/** The parts that the signature covers, and the secrets that sign. */
export interface Message {
  id: string;
  /** The time of this attempt. Receivers refuse old messages, so each attempt has its own time. */
  at: Date;
  body: string;
  /** Every secret signs. While a company rotates its secret, the old secret signs as well. */
  secrets: string[];
}

export const newSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** Makes the headers of the Standard Webhooks specification. */
export function signatureHeaders({ id, at, body, secrets }: Message) {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signed = `${id}.${timestamp}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signatureOf(signed, secret)).join(' '),
  };
}

function signatureOf(signed: string, secret: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}
