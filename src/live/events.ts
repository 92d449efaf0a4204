import { idBody } from '../http/schemas.ts';
import { jobBody } from '../jobs/http.ts';
import type { Job } from '../jobs/queries.ts';

/** An event as the wire has it: JSON without line breaks, so that it fits one `data` line. */
export const event = (name: string, data: unknown): Uint8Array =>
  Buffer.from(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);

export const BEGIN = event('begin', {});
export const END = event('end', {});
export const jobEvent = (job: Job) => event('job', jobBody(job));
export const goneEvent = (id: bigint) => event('gone', { id: idBody(id) });

/** A comment: it tells both ends, and whatever is between them, that the connection lives. */
export const HEARTBEAT: Uint8Array = Buffer.from(':\n\n');

/** When a client comes back after its stream has ended; not all of a stopped server's at once. */
export const retryHint = (): Uint8Array =>
  Buffer.from(`retry: ${1_000 + Math.floor(Math.random() * 2_000)}\n\n`);
