import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { openRelay } from '../../../proof/faults/relay.ts';

/** Starts a server behind a relay. `accepted` has the server's ends of all connections. */
async function makeWay() {
  const accepted: Socket[] = [];
  const server = createServer((socket) => accepted.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const relay = await openRelay(`postgres://127.0.0.1:${port}/any`);
  onTestFinished(() => {
    relay.cut();
    server.close();
  });
  const dial = async () => {
    const near = connect(Number(new URL(relay.url).port), '127.0.0.1');
    await once(near, 'connect');
    return near;
  };
  return { relay, server, accepted, dial };
}

/** Sends data through a new relay many times. Data on a path without delay arrives meanwhile. */
async function manyRoundTrips() {
  const { server, dial } = await makeWay();
  server.on('connection', (socket) => socket.pipe(socket));
  const near = await dial();
  for (let trips = 0; trips < 50; trips++) {
    near.write('again');
    await once(near, 'data');
  }
  near.destroy();
}

test('after a delay, a connection delivers all data in order, and then its end', async () => {
  const { relay, server, accepted, dial } = await makeWay();
  const near = await dial();
  if (accepted.length === 0) await once(server, 'connection');
  const [far] = accepted as [Socket];
  const whole = buffer(far);
  relay.delay(true);
  near.write('1');
  near.write('2');
  near.destroySoon();
  await once(near, 'close');
  await manyRoundTrips();
  expect({ bytes: far.bytesRead, closed: far.closed }).toEqual({ bytes: 0, closed: false });
  relay.delay(false);
  expect(String(await whole)).toBe('12');
});

test('a connection that begins during a delay is answered after the delay', async () => {
  const { relay, server, dial } = await makeWay();
  server.on('connection', (socket) => socket.pipe(socket));
  relay.delay(true);
  const near = await dial();
  near.write('hello');
  await manyRoundTrips();
  expect(near.bytesRead).toBe(0);
  relay.delay(false);
  const [answer] = await once(near, 'data');
  expect(String(answer)).toBe('hello');
  near.destroy();
});
