import { patroni, patroniBalanced } from '../patroni/scenario.ts';
import type { Scenario } from '../scenario.ts';
import { backends } from './backends.ts';
import { failover, failoverByHosts } from './failover.ts';
import { line } from './line.ts';
import { postgres, server } from './restarts.ts';
import { serversAsOne } from './servers.ts';
import { soak } from './soak.ts';
import { workers } from './workers.ts';

export const scenarioNames = [
  'backends',
  'server',
  'postgres',
  'servers',
  'line',
  'failover',
  'soak',
  'workers',
  'patroni',
] as const;
export type ScenarioName = (typeof scenarioNames)[number];

/** Returns all scenarios with this name, in the order in which they are played. */
export const scenariosOf = (name: ScenarioName, servers: number[]): Scenario[] =>
  ({
    backends: [backends],
    server: [server],
    postgres: [postgres],
    servers: servers.map(serversAsOne),
    line: [line],
    failover: [failover, failoverByHosts],
    soak: [soak],
    workers: [workers],
    patroni: [patroni, patroniBalanced],
  })[name];
