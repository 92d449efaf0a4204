import { freePort } from '../../src/platform/postgres/postmaster.ts';
import { send } from '../../src/service/webhooks/send/send.ts';
import { newSecret, signatureHeaders } from '../../src/service/webhooks/send/signature.ts';
import { runSource } from './command.ts';

export const secret = newSecret();
const never = new AbortController().signal;

/** Starts the example that receives webhooks. */
export async function startReceiver() {
  const port = await freePort();
  const args = [String(port)];
  const receiver = runSource('examples/receive-webhooks.ts', args, { WEBHOOK_SECRET: secret });
  await receiver.says(/Waits for webhooks/);
  const url = `http://localhost:${port}/`;
  /** Sends a message as the service does. Returns the status and the first line of the answer. */
  const deliver = async (id: string, data: object, secrets = [secret]) => {
    const body = JSON.stringify({ type: 'claim.created', timestamp: new Date(), data });
    const headers = signatureHeaders({ id, at: new Date(), body, secrets });
    return send({ url, headers, body, loopback: true }, never);
  };
  return { receiver, port, deliver };
}
