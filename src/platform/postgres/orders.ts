/** The messages between a process and the guard of its PostgreSQL. */
import type { Mark } from '../process/process-table.ts';

/** A server that we started, and its home. */
export interface Primary {
  url: string;
  home: string;
}

/** The owner and the settings of a server. */
export interface ServerOrder {
  /** The process that needs the server. */
  owner: Mark;
  /** Whether commits wait for the disk. */
  durable: boolean;
}

/** The first message to a guard of one server. */
export interface GuardOrder extends ServerOrder {
  kind: 'guard';
  /** The directory that keeps the data. Undefined for a temporary server. */
  keepIn: string | undefined;
  /** If given, the new server begins with a copy of this server's data, and is its standby. */
  standbyOf?: Primary | undefined;
}

/** Each later message to the guard. The guard restarts the server, and sends another report. */
export interface RestartOrder {
  /**
   * If given, the server shuts down cleanly and starts again as a standby of this primary.
   * Otherwise the server crashes and starts again.
   */
  standbyOf: Primary | undefined;
}

export type GuardReport =
  | { kind: 'ready'; port: number; password: string; home: string }
  | { kind: 'failed'; message: string };
