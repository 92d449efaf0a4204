/**
 * Receives webhooks, verifies them, drops repeats, and prints a line for each message:
 *
 *     WEBHOOK_SECRET=whsec_… npx tsx examples/receive-webhooks.ts [PORT]
 *
 * The service shows the secret in its answer when you add the endpoint. Ctrl-C stops the receiver.
 */
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const [port = '4000'] = process.argv.slice(2);
const secret = process.env.WEBHOOK_SECRET ?? '';
const say = (line: string) => process.stdout.write(`${line}\n`);

function fail(line: string): never {
  process.stderr.write(`${line}\n`);
  process.exit(2);
}

if (!/^whsec_[A-Za-z0-9+/]{32,}=*$/.test(secret))
  fail('Set WEBHOOK_SECRET to the secret of the endpoint. It begins with whsec_.');
if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
  fail('PORT must be a whole number from 0 to 65535.');
const webhook = new Webhook(secret);

/**
 * The ids of the messages that have come. A real receiver keeps the ids in its database, and adds
 * an id in the transaction in which it processes the message.
 */
const received = new Set<string>();

const server = createServer(async (request, response) => {
  try {
    const body = Buffer.concat(await request.toArray());
    const message = webhook.verify(body, request.headers as Record<string, string>) as Message;
    const id = String(request.headers['webhook-id']);
    say(`${received.has(id) ? 'Repeat, dropped' : inWords(message)} (${id})`);
    received.add(id);
    response.writeHead(204).end();
  } catch (error) {
    say(`Refused: ${(error as Error).message}`);
    response.writeHead(400).end('The message cannot be verified.\n');
  }
});

interface Message {
  type: string;
  data: { job?: { role: string }; number?: number; slots?: { remaining: number } };
}

/** Returns a line about a message. The line has the event's number, since the order may differ. */
const inWords = ({ type, data: { job, number, slots } }: Message): string =>
  job ? `${type}: ${job.role}, event ${number}, free slots: ${slots?.remaining}` : type;

server.on('error', ({ message }) => fail(message));
server.listen(Number(port), 'localhost', () => say(`Waits for webhooks on port ${port}.`));
const stop = () => {
  server.close();
  // A request that never ends must not keep the receiver running.
  setTimeout(() => server.closeAllConnections(), 1_000).unref();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
