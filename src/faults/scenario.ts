import type { Ledger } from './ledger.ts';
import type { Load } from './load.ts';
import type { Pair } from './pair.ts';
import type { ServerProcess } from './server-process.ts';

/** What a run is to come to. */
export interface FaultSettings {
  /** Backends to be ended inside a transaction. */
  kills: number;
  /** How often a server or PostgreSQL is stopped and started again. */
  restarts: number;
  /** Requests of all kinds to one server. */
  requests: number;
  /** The longest that faults are made for, in a scenario. */
  seconds: number;
  /** With how many servers on one database, each in turn. */
  servers: number[];
}

/** Where a scenario's faults happen: servers on a database, under a load that goes on meanwhile. */
export interface Stage {
  databaseUrl: string;
  /** Those that are expected to live; a scenario that kills one takes it out or replaces it. */
  servers: ServerProcess[];
  load: Load;
  ledger: Ledger;
  settings: FaultSettings;
  /** Aborted when the command is stopped, or the faults take longer than they may. */
  stop: AbortSignal;
  /** Stops PostgreSQL `immediate` and starts it again; only where it is our own. */
  restartPostgres: (() => Promise<void>) | undefined;
  /** The primary and its standby. Undefined unless the scenario needs a pair. */
  pair: Pair | undefined;
  progress: (text: string) => void;
}

/** What the faults came to. */
export interface FaultCounts {
  /** Backends ended inside a transaction whose answer was lost with it. */
  kills?: number;
  restarts?: number;
  /** From each stop until a request was answered again, in milliseconds. */
  answeredAgainMs?: number[];
  /** From each switchover until requests were no longer turned away, in milliseconds. */
  calmAgainMs?: number[];
  /** Resident memory of the server at half of the requests, and at the end. */
  memory?: { halfMb: number; endMb: number };
}

export interface Scenario {
  name: string;
  idea: string;
  /** How many servers there are. */
  servers: number;
  /** It stops PostgreSQL, and so needs one of its own. */
  stopsPostgres?: true;
  /** It needs a primary and a standby behind a relay. */
  needsPair?: true;
  /** It reads the memory of its server, which only Linux tells. */
  readsMemory?: true;
  /** Each recruiter draws the same operations in every run. */
  isSeeded?: true;
  faults(stage: Stage): Promise<FaultCounts>;
}
