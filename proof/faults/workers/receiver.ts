import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { pause } from '../../../src/platform/waiting/backoff.ts';
import type { Dice } from '../dice.ts';
import type { Inbox, Message } from './inbox.ts';

/** The ways in which a receiver treats a message that has arrived. */
type Manner = 'accept' | 'fail' | 'accept late' | 'cut off' | 'hang';

/**
 * One message in five fails. Late and hanging answers occupy the workers for long, so they are less
 * frequent.
 */
const PER_THOUSAND: Record<Exclude<Manner, 'accept'>, number> = {
  fail: 200,
  'accept late': 30,
  'cut off': 20,
  hang: 5,
};
/**
 * Repeats are often answered late. A repeat may come from a worker that took the task from a frozen
 * or stalled worker. The late outcome of this earlier worker then meets an attempt that still runs.
 */
const LATE_REPEATS_PER_THOUSAND = 300;
const FAILURES = [500, 502, 503, 429];
/** The maximum delay of an answer. A worker gives up a little later, after 15 s. */
const LATEST_MS = 14_500;

export interface Receiver {
  /** The address of the receiver. The path of each endpoint is the endpoint's name. */
  url: string;
  /** From now on the receiver accepts every message without delay. */
  calm(): void;
  close(): void;
}

/** Starts a receiver on loopback. The receiver records every message, and accepts most of them. */
export async function openReceiver(inbox: Inbox, dice: Dice): Promise<Receiver> {
  let isCalm = false;
  const server = createServer(async (request, response) => {
    const message = await receive(request).catch(() => undefined);
    // A worker was killed while it sent the message, so the message has not arrived.
    if (message === undefined) return;
    const isRepeat = inbox.record(message);
    const manner = isCalm ? 'accept' : mannerOf(dice, isRepeat);
    if (manner === 'accept late') await pause(lateness(dice));
    if (manner.startsWith('accept')) inbox.accept(message);
    answer(response, manner, dice);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calm() {
      isCalm = true;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const receive = async (request: IncomingMessage): Promise<Message> => ({
  endpoint: request.url?.slice(1) ?? '',
  id: String(request.headers['webhook-id']),
  body: await text(request),
});

function mannerOf(dice: Dice, isRepeat: boolean): Manner {
  if (isRepeat && dice.below(1_000) < LATE_REPEATS_PER_THOUSAND) return 'accept late';
  let drawn = dice.below(1_000);
  for (const [manner, chance] of Object.entries(PER_THOUSAND)) {
    if (drawn < chance) return manner as Manner;
    drawn -= chance;
  }
  return 'accept';
}

/** Returns a random delay in milliseconds. Half of the late answers come within two seconds. */
const lateness = (dice: Dice) => LATEST_MS * (dice.below(1_000) / 1_000) ** 3;

function answer(response: ServerResponse, manner: Manner, dice: Dice) {
  switch (manner) {
    case 'fail':
      response.writeHead(dice.any(FAILURES) ?? 500).end('no');
      return;
    case 'cut off':
      response.writeHead(200, { 'Content-Length': 100 });
      response.write('x'.repeat(50), () => response.destroy());
      return;
    case 'hang':
      return;
    default:
      response.writeHead(200).end('ok');
  }
}
