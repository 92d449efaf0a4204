/** The messages between a process and the guard of its PostgreSQL. */
import type { Mark } from '../process/process-table.ts';

/** A server of ours, and where its data is. */
export interface Primary {
  url: string;
  home: string;
}

/** The first message to the guard. */
export interface GuardOrder {
  /** The process that the server is for. */
  owner: Mark;
  /** A directory to keep the data in; undefined: a throw-away server. */
  keepIn: string | undefined;
  /** Whether commits wait for the disk. */
  durable: boolean;
  /** The data begins as a copy of this server's, and the new server is its standby. */
  standbyOf?: Primary | undefined;
}

/** Any later message: to restart the server. A guard answers with another report. */
export interface RestartOrder {
  /** The server stops in order and comes back as the standby of this one. Otherwise it crashes. */
  standbyOf: Primary | undefined;
}

export type GuardReport =
  | { kind: 'ready'; port: number; password: string; home: string }
  | { kind: 'failed'; message: string };
