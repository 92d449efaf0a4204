import type { Socket } from 'node:net';

/** If so many bytes wait to be written, their source must wait too. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Writes the bytes. While too much waits to be written, nothing more is read of the source. */
export function pour(bytes: Buffer, target: Socket, source: Socket | undefined) {
  target.write(bytes);
  if (target.writableLength < MOST_BYTES || source?.isPaused()) return;
  source?.pause();
  target.once('drain', () => source?.resume());
}
