import { event } from '../http/event-stream.ts';
import { idBody } from '../http/schemas.ts';
import { jobBody } from '../jobs/http.ts';
import type { Job } from '../jobs/queries.ts';

export const BEGIN = event('begin', {});
export const END = event('end', {});
export const jobEvent = (job: Job) => event('job', jobBody(job));
export const goneEvent = (id: bigint) => event('gone', { id: idBody(id) });
