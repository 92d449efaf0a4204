/**
 * This program runs in a separate network, in which every address leads to this machine. The
 * program sends to the hostile URLs and to random URLs. Then it prints the addresses that it has
 * reached.
 */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import fc from 'fast-check';
import { send } from '../../../../src/service/webhooks/send/send.ts';
import { HOSTILE_URLS, hostileZone, someUrl } from './hostile-urls.ts';
import { startNameServer } from './name-server.ts';
import { SPECIAL_BLOCKS } from './special-blocks.ts';

const RANDOM_URLS = 5000;

const names = await startNameServer(hostileZone);
let reached: string[] = [];
const server = createServer((socket) => {
  reached.push(socket.localAddress ?? '');
  socket.on('error', () => undefined).destroy();
});
await once(server.listen(443, '::'), 'listening');

/** Runs the work, and returns the addresses that received a connection meanwhile. */
async function reachedBy(work: () => Promise<unknown>): Promise<string[]> {
  reached = [];
  await work();
  return reached.map((address) => address.replace(/^::ffff:(?=\d+\.)/, ''));
}

const never = new AbortController().signal;
const post = { headers: {}, body: '{}', loopback: false, nameServers: [names.address] };
const sendTo = (url: string) => send({ ...post, url }, never);

async function sendToAll(urls: string[]) {
  for (const url of urls) await sendTo(url);
}

/** Connects without any check. Resolves when the connection is closed or has failed. */
async function connectTo(host: string) {
  const socket = connect(443, host).on('error', () => undefined);
  await once(socket, 'close').catch(() => undefined);
}

const addresses = SPECIAL_BLOCKS.map(([, address]) => address);
process.stdout.write(
  JSON.stringify({
    unchecked: await reachedBy(async () => {
      for (const address of addresses) await connectTo(address);
    }),
    hostile: await reachedBy(() => sendToAll(HOSTILE_URLS.map(([, url]) => url))),
    named: await reachedBy(() => sendToAll(['https://ipv6-only.example/', 'https://8.8.8.8/'])),
    moving: await reachedBy(() => sendToAll(Array(3).fill('https://then.moves.example/'))),
    random: await reachedBy(() => sendToAll(fc.sample(someUrl, RANDOM_URLS))),
  }),
);
server.close();
names.close();
