/** The messages between a process and the guard that lends copies of a server. */
import type { Mark } from '../../process/process-table.ts';

/** The settings of the servers. */
export interface ServersOrder {
  /** Lines for `postgresql.conf`. */
  settings: readonly string[];
  /**
   * The number of bytes by which the memory of a session may grow after its beginning. Only Linux
   * can limit this memory.
   */
  memory?: number;
}

/** The first message to the guard. */
export interface LendOrder extends ServersOrder {
  kind: 'lend';
  /** The process that needs the copies. */
  owner: Mark;
}

/**
 * Each later message to the guard. `prepared` says that the first server may be copied. `id` is a
 * number that the owner gives to a copy.
 */
export type CopyOrder =
  | { kind: 'prepared' }
  | { kind: 'open'; id: number }
  | { kind: 'end'; id: number };

export type LenderReport =
  /** The first server runs. The owner may fill it now. */
  | { kind: 'prepare'; url: string; home: string }
  /** The guard opens copies from now on. */
  | { kind: 'ready' }
  | { kind: 'opened'; id: number; url: string }
  | { kind: 'not opened'; id: number; message: string }
  | { kind: 'ended'; id: number }
  | { kind: 'failed'; message: string };
