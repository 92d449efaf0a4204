import { idBody } from '../http/schemas.ts';
import { jobBody } from '../jobs/http.ts';
import type { Job } from '../jobs/queries.ts';

/** An event in the format of the wire. JSON without line breaks fits into one `data` line. */
export const event = (name: string, data: unknown): Uint8Array =>
  Buffer.from(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);

export const BEGIN = event('begin', {});
export const END = event('end', {});
export const jobEvent = (job: Job) => event('job', jobBody(job));
export const goneEvent = (id: bigint) => event('gone', { id: idBody(id) });

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
