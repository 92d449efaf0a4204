/** What a process and the guard of its PostgreSQL say to each other. */
import type { Mark } from '../process-table.ts';

/** The first message to the guard. */
export interface GuardOrder {
  /** The process that the server is for. */
  owner: Mark;
  /** A directory to keep the data in; undefined: a throw-away server. */
  keepIn: string | undefined;
  /** Whether commits wait for the disk. */
  durable: boolean;
}

/** Any later message. A guard answers with another report. */
export const RESTART = 'restart';

export type GuardReport =
  | { kind: 'ready'; port: number; password: string; home: string }
  | { kind: 'failed'; message: string };
