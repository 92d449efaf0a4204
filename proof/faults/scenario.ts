import type { Ledger } from './ledger.ts';
import type { Load } from './load.ts';
import type { Pair } from './pair.ts';
import type { Cluster } from './patroni/cluster.ts';
import type { ServerProcess } from './server-process.ts';

/** The size of a run. */
export interface FaultSettings {
  /** The number of backends that are killed inside a transaction. */
  kills: number;
  /**
   * The number of times that a server or PostgreSQL is stopped and started again, or fails over to
   * a standby.
   */
  restarts: number;
  /** The number of requests of all kinds that the server gets in the scenario `soak`. */
  requests: number;
  /**
   * The number of tasks that the workers get in the scenario `workers`. The faults grow with the
   * tasks.
   */
  tasks: number;
  /** The time limit in seconds for the faults of one scenario. */
  seconds: number;
  /** The scenario `servers` is played once for each of these numbers of servers. */
  servers: number[];
}

/** The surroundings of a scenario: servers on one database, under load. */
export interface Stage {
  databaseUrl: string;
  /**
   * The servers that must stay alive. A scenario that kills a server removes or replaces the server
   * in this list.
   */
  servers: ServerProcess[];
  load: Load;
  ledger: Ledger;
  settings: FaultSettings;
  /** Aborted if the command is stopped, or if the faults take too long. */
  stop: AbortSignal;
  /**
   * Stops PostgreSQL in the mode `immediate`, and starts PostgreSQL again. Undefined if PostgreSQL
   * is not our own.
   */
  restartPostgres: (() => Promise<void>) | undefined;
  /** The primary and its standby. Undefined unless the scenario needs a pair. */
  pair: Pair | undefined;
  /** The nodes of Patroni. Undefined unless the scenario needs a cluster. */
  cluster: Cluster | undefined;
  progress: (text: string) => void;
}

/** The results of the faults. */
export interface FaultCounts {
  /** The number of kills of a backend that made a request fail. */
  kills?: number;
  restarts?: number;
  /** The milliseconds from each stop until a request was answered or a claim was granted again. */
  answeredAgainMs?: number[];
  /** The milliseconds from each switchover until the service refused only few requests. */
  calmAgainMs?: number[];
  /** The server's resident memory after half of the requests, and at the end. */
  memory?: { halfMb: number; endMb: number };
  /** The longest time without a granted claim around each event. */
  events?: { event: string; withoutClaimMs: number }[];
  workers?: WorkerCounts;
}

/** The work and the faults of the scenario `workers`. */
export interface WorkerCounts {
  tasks: number;
  /** The number of messages that arrived at the receiver, including repeats. */
  arrivals: number;
  /** The number of attempts that lost their tasks. */
  lost: number;
  /** The number of times that each fault was made. */
  faults: Record<string, number>;
}

export interface Scenario {
  name: string;
  idea: string;
  /** The number of servers of the service that the scenario needs. */
  servers: number;
  /** Set if the scenario stops PostgreSQL. Such a scenario needs a PostgreSQL of our own. */
  stopsPostgres?: true;
  /**
   * Set if the scenario needs a primary and a standby, reached by their hosts or through a relay.
   */
  needsPair?: 'hosts' | 'balancer';
  /** Set if the scenario needs a cluster of Patroni, reached by its hosts or through HAProxy. */
  needsCluster?: 'hosts' | 'balancer';
  /** Set if the scenario reads the memory of its server. Only Linux shows the memory. */
  readsMemory?: true;
  /** Set if the load rests until the scenario calls `load.goOn()`. */
  startsLoad?: true;
  /** Additional environment variables of the servers. */
  settings?: Record<string, string>;
  /** Set if each recruiter makes the same choices in every run. */
  isSeeded?: true;
  faults(stage: Stage): Promise<FaultCounts>;
}
