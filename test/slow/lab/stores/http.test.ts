import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { makeApp, makeLab } from '../../../support/app.ts';
import { setForStores } from '../../../support/stores.ts';

const made = await makeApp();
made.app.route('/lab', makeLab(made));

test.each([
  ['REDIS_URL', 'redis', 'retries/set-nx'],
  ['ETCD_URL', 'http', 'queue/session-lock'],
])(
  'if the store at %s accepts connections but never answers, callers get 503',
  async (name, scheme, strategy) => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
    }).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    await setForStores(name, `${scheme}://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    const asked = { strategy, situation: 'alone', schedule: ['1', 'k1'] };
    const { status } = await made.call('POST', '/lab/plays', asked);
    expect(status).toBe(503);
  },
);
