import { onTestFinished } from 'vitest';
import { closeStores } from '../../src/lab/stores/index.ts';
import { atEnd } from './command.ts';
import { findProgram } from './program.ts';

/** Whether this machine has Redis. */
export const hasRedis =
  findProgram({
    title: 'Redis',
    name: 'redis-server',
    variable: 'REDIS_SERVER_PATH',
    tests: 'Redis',
  }) !== undefined;

/** Whether this machine has etcd. */
export const hasEtcd =
  findProgram({ title: 'etcd', name: 'etcd', variable: 'ETCD_PATH', tests: 'etcd' }) !== undefined;

atEnd(closeStores);

/** Gives a setting to the lab of this process until the test ends. */
export async function setForStores(name: string, value: string) {
  const before = process.env[name];
  process.env[name] = value;
  await closeStores();
  onTestFinished(() => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  });
}
