import type { ServerResponse } from 'node:http';
import type { Context } from 'hono';
import type { Env } from './new-routes.ts';

/** An event in the format of the wire. JSON without line breaks fits into one `data` line. */
export const event = (name: string, data: unknown): Uint8Array =>
  Buffer.from(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);

/**
 * A comment. It shows the client, the server and all proxies between them that the connection
 * lives.
 */
export const HEARTBEAT: Uint8Array = Buffer.from(':\n\n');

/**
 * Tells a client how soon to reconnect after its stream has ended. The delay is random, so that not
 * all clients of a stopped server return at once.
 */
export const retryHint = (): Uint8Array =>
  Buffer.from(`retry: ${1_000 + Math.floor(Math.random() * 2_000)}\n\n`);

/** The sender of a stream to one client. */
export interface Told {
  /** The pieces to send. Ends without an error when `left` is aborted. */
  chunks(): AsyncIterableIterator<Uint8Array>;
  /** The longest time between two pieces. */
  heartbeatMs: number;
  /** Aborted when nothing more is to be sent. */
  left: AbortSignal;
  /** Called when the client is gone. */
  leave(): void;
}

/** How many heartbeats a client may miss. Then it is cut off, since it holds memory and a place. */
const STALL_HEARTBEATS = 4;
/** How often the server looks at each client between two heartbeats. */
const LOOKS = 4;
/** How long a client has to take the end of its stream. */
const LAST_WORDS_MS = 1_000;

const HEADERS = {
  'Content-Type': 'text/event-stream',
  // Nothing follows on this connection. Without this header, a stopping server would wait for the
  // idle connection.
  Connection: 'close',
  // nginx would collect the events in a buffer.
  'X-Accel-Buffering': 'no',
};

/** The answer to HEAD. Hono passes HEAD to the handler of GET, but nobody would read a stream. */
export const headOfEvents = (c: Context<Env>) => c.body(null, 200, HEADERS);

/**
 * An answer that is a stream of server-sent events. The next piece is made only when the client
 * reads on.
 */
export function streamEvents(c: Context<Env>, told: Told): Response {
  for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
  if (c.env?.outgoing) cutOffSilent(c.env.outgoing, told);
  const chunks = told.chunks();
  // Hono's `streamSSE` passes each piece through three streams. With 1,000 clients, a piece took 42 µs
  // of the processor there. It takes 20 µs here. Hono also lets a silent client hold its stream for ever.
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await chunks.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: () => told.leave(),
    },
    { highWaterMark: 0 },
  );
  return c.body(body);
}

/**
 * Ends the connection of a client that takes nothing although data waits, and of a client that does
 * not take the end of its stream.
 *
 * Node sees only the bytes that the operating system takes for a client. A client that reads
 * nothing looks like any other until the system's buffers are full. On Linux the buffers hold about
 * 100 kB over a network, and up to 4 MB within one machine. We do not wait for the end of a write:
 * up to 16 kB count as written at once, and hours of heartbeats fit into 16 kB.
 */
function cutOffSilent(outgoing: ServerResponse, { heartbeatMs, left }: Told) {
  let taken = 0;
  let looksInVain = 0;
  const look = () => {
    if (outgoing.destroyed) return clearInterval(looks);
    const before = taken;
    taken = (outgoing.socket?.bytesWritten ?? 0) - outgoing.writableLength;
    const isSilent = outgoing.writableLength > 0 && taken === before;
    looksInVain = isSilent ? looksInVain + 1 : 0;
    if (looksInVain >= STALL_HEARTBEATS * LOOKS) cut();
  };
  const looks = setInterval(look, heartbeatMs / LOOKS).unref();
  // After a normal end, the system would offer the rest to the client for minutes.
  const cut = () => outgoing.socket?.resetAndDestroy();
  left.addEventListener('abort', () => setTimeout(cut, LAST_WORDS_MS).unref());
}
