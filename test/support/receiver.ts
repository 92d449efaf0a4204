import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { expect, vi } from 'vitest';
import { atEnd } from './command.ts';

/** A message as a receiver gets it. */
export interface Received {
  id: string;
  headers: Record<string, string>;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: the messages have different data.
  message: { type: string; timestamp: string; data: any };
}

/** Answers a message. */
export type Answer = (answer: ServerResponse, received: Received) => void;

const ok: Answer = (answer) => void answer.writeHead(200).end('ok');

/** Starts a receiver on this machine. It answers 200 until `answer` is replaced. */
export async function makeReceiver() {
  const received: Received[] = [];
  const receiver = {
    url: '',
    received,
    answer: ok,
    /** Resolves when at least this many messages have come. */
    untilReceived: (count: number) =>
      vi.waitFor(() => expect(received.length).toBeGreaterThanOrEqual(count), { timeout: 20_000 }),
    /** Throws unless the secret has signed the message. */
    verify: ({ body, headers }: Received, secret: string) =>
      new Webhook(secret).verify(body, headers),
  };
  const server = createServer(async (request, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const headers = request.headers as Record<string, string>;
    const id = headers['webhook-id'] ?? '';
    const each = { id, headers, body, message: JSON.parse(body) };
    received.push(each);
    receiver.answer(answer, each);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
  return receiver;
}
