/**
 * The program of a receiver of webhooks. It answers every message with 200 after a while, like a
 * receiver on another machine. When its parent process asks, it reports its port and the number of
 * messages. It ends with its parent.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The time from a message to its answer. It stands for a short network path and some work. */
const ANSWER_MS = 20;

export interface ReceiveReport {
  port: number;
  /** The number of messages that have come. */
  messages: number;
}

let messages = 0;
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    messages++;
    setTimeout(() => response.end('ok\n'), ANSWER_MS);
  });
});
const listening = new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve);
});

process.on('disconnect', () => process.exit());
process.on('message', async () => {
  await listening;
  const { port } = server.address() as AddressInfo;
  const report: ReceiveReport = { port, messages };
  process.send?.(report);
});
