import type { Context } from 'hono';
import { stream } from 'hono/streaming';
import type { StreamingApi } from 'hono/utils/stream';
import type { Env } from '../http.ts';

/** One whom a stream of server-sent events tells something. */
export interface Told {
  /** What there is to be sent, piece by piece, until `left`. Ends without an error. */
  texts(): AsyncIterable<string>;
  /** Something is sent at least as often. */
  heartbeatMs: number;
  /** Aborted once nothing more is told. */
  left: AbortSignal;
  /** Called when the client is gone. */
  leave(): void;
}

/** A client that takes nothing for so many heartbeats is cut off: it holds a place that others want. */
const STALL_HEARTBEATS = 4;
/** What a client has to take the end of its stream. */
const LAST_WORDS_MS = 1_000;

const HEADERS = {
  'Content-Type': 'text/event-stream',
  // Nothing follows on this connection, and a server that stops need not wait for it to idle.
  Connection: 'close',
  // nginx would collect the events in a buffer.
  'X-Accel-Buffering': 'no',
};

/** What a HEAD is answered: Hono hands it to the handler of GET, and nobody would read a stream. */
export const headOfEvents = (c: Context<Env>) => c.body(null, 200, HEADERS);

/** An answer that is a stream of server-sent events. */
export function streamEvents(c: Context<Env>, told: Told): Response {
  for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
  return stream(c, (out) => deliver(told, out, () => cutOff(c)));
}

/** Writes no faster than the client reads. */
async function deliver(told: Told, out: StreamingApi, cut: () => void) {
  out.onAbort(() => told.leave());
  told.left.addEventListener('abort', () => setTimeout(cut, LAST_WORDS_MS).unref());
  for await (const text of told.texts()) {
    const stalled = setTimeout(cut, told.heartbeatMs * STALL_HEARTBEATS);
    await out.write(text);
    clearTimeout(stalled);
  }
}

/** Ends the connection, where there is one, whatever is still to be sent. */
const cutOff = (c: Context<Env>) => c.env?.outgoing?.destroy();
