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
