/** The messages between a process and the guard of its PostgreSQL. */
import type { Mark } from '../process/process-table.ts';

/** A server of ours, and the directory of its data. */
export interface Primary {
  url: string;
  home: string;
}

/** The first message to the guard. */
export interface GuardOrder {
  /** The process that needs the server. */
  owner: Mark;
  /** The directory that keeps the data. Undefined: a throw-away server. */
  keepIn: string | undefined;
  /** Whether commits wait for the disk. */
  durable: boolean;
  /** If given, the new server is a standby of this server, and begins with a copy of its data. */
  standbyOf?: Primary | undefined;
}

/** Any later message asks for a restart. The guard answers with another report. */
export interface RestartOrder {
  /**
   * If given, the server stops in order and returns as a standby of this primary. Otherwise the
   * server crashes and restarts.
   */
  standbyOf: Primary | undefined;
}

export type GuardReport =
  | { kind: 'ready'; port: number; password: string; home: string }
  | { kind: 'failed'; message: string };
