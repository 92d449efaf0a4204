/** The meaning of a kind of error. The texts are Markdown. */
export interface Meaning {
  status: number;
  /** When the service answers with this code. */
  when: string;
  /** What the client or its developer should do. */
  next: string;
}

/**
 * The kinds of errors, by the codes for programs. The codes never change. `/problems/{code}` shows
 * this list to people, and docs/api.md has a table of the list.
 */
export const meanings = {
  'invalid-request': {
    status: 400,
    when: 'an id, a field or the `Idempotency-Key` is invalid, the body is not JSON, or the address or `Host` is malformed; `errors` names each wrong parameter',
    next: 'Correct the parameters that `errors` names. The same request would be refused again.',
  },
  'prefetch-refused': {
    status: 400,
    when: 'a browser sent the request ahead of time, before a person asked for it; nothing was claimed',
    next: 'Claim with `POST /jobs/{jobId}/claims`, and not with a link that a browser may prefetch.',
  },
  'too-many-jobs': {
    status: 400,
    when: 'the stream of `GET /jobs/events` would have more than 10,000 jobs; ask for some jobs with `jobId`, or for a company with fewer jobs with `companyId`',
    next: 'Follow the jobs that the page shows, with `jobId`.',
  },
  unauthorized: {
    status: 401,
    when: 'there is no token, or the token is not valid; `WWW-Authenticate` has the reason for a token of this service that has expired, is not valid yet, or is for another audience',
    next: 'Get a new token, and send the request again with `Authorization: Bearer …`. The log has the reason at `LOG_LEVEL=debug`. For a trial, `npm run token` makes a token.',
  },
  'cross-site-refused': {
    status: 403,
    when: 'a page of another site made the request; nothing was changed',
    next: "Put the page's origin into the setting `CORS_ORIGINS`, if you trust its pages. The log has a line with the origin.",
  },
  forbidden: {
    status: 403,
    when: 'the token does not allow this',
    next: 'Use a token of the recruiter, of the company or of an admin.',
  },
  'job-full': {
    status: 403,
    when: 'every slot is claimed',
    next: 'Join the waitlist with `POST /jobs/{jobId}/waitlist`. The first in line gets the next free slot. Or show that the job is full.',
  },
  'too-many-lines': {
    status: 403,
    when: 'the recruiter is in the lines of 100 jobs already',
    next: 'Leave a waitlist with `DELETE /jobs/{jobId}/waitlist/{recruiterId}`.',
  },
  'waitlist-closed': {
    status: 403,
    when: 'the company has closed the waitlist of this job',
    next: 'Show that the job is full. `GET /jobs/events` tells when a slot is free.',
  },
  'waitlist-full': {
    status: 403,
    when: 'as many recruiters wait for this job as its waitlist allows',
    next: 'Try again later. `GET /jobs/events` tells when the job changes.',
  },
  'claim-not-found': {
    status: 404,
    when: 'there is no such claim, or it was released, or its lease has ended',
    next: 'Read the claims of the recruiter, and claim the job again if a slot is free.',
  },
  'company-not-found': {
    status: 404,
    when: 'there is no company with this id',
    next: 'Check the id. `GET /companies` lists the companies.',
  },
  'delivery-not-found': {
    status: 404,
    when: 'there is no such delivery, or it was cleared, or its endpoint was deleted',
    next: 'Read the deliveries of the endpoint again.',
  },
  'endpoint-not-found': {
    status: 404,
    when: 'there is no endpoint with this id',
    next: 'Check the id. `GET /companies/{id}/endpoints` lists the endpoints.',
  },
  'job-not-found': {
    status: 404,
    when: 'there is no job with this id',
    next: 'Check the id. `GET /jobs` lists the jobs. The job may have been removed.',
  },
  'recruiter-not-found': {
    status: 404,
    when: 'there is no recruiter with this id',
    next: 'Check the id. `GET /recruiters` lists the recruiters.',
  },
  'not-in-line': {
    status: 404,
    when: 'the recruiter is not in the line of this job: the recruiter never joined, has left, has accepted, or the offer has lapsed',
    next: 'Read the claims of the recruiter. Join again with `POST /jobs/{jobId}/waitlist`.',
  },
  'task-not-found': {
    status: 404,
    when: 'there is no task with this id; finished tasks are removed after some time',
    next: 'Check the id. `GET /tasks` lists the tasks.',
  },
  'not-found': {
    status: 404,
    when: 'there is nothing at this address',
    next: 'Check the address. `/docs` lists all addresses.',
  },
  'method-not-allowed': {
    status: 405,
    when: 'this address has no such method; the header `Allow` names its methods; HEAD is not allowed at `/claim-job`',
    next: 'Use a method that `Allow` names.',
  },
  'already-claimed': {
    status: 409,
    when: 'this recruiter already holds the job, full or not',
    next: 'Show the job as claimed. Nothing has to be repeated.',
  },
  'capacity-too-low': {
    status: 409,
    when: 'more slots are claimed than the new capacity allows; the answer has both numbers',
    next: 'Choose a capacity of at least `claimed`, or wait until claims are released.',
  },
  'endpoint-disabled': {
    status: 409,
    when: 'the endpoint is disabled, so nothing is sent to it; enable it first',
    next: 'Enable the endpoint with `POST /endpoints/{id}/enable`.',
  },
  'key-in-use': {
    status: 409,
    when: 'the first request with this `Idempotency-Key` is still running',
    next: 'Wait as long as `Retry-After` says, and send the same request with the same key.',
  },
  'no-lease': {
    status: 409,
    when: 'the claim has no lease, so there is nothing to renew',
    next: 'Do nothing. The claim stays until somebody releases it.',
  },
  'resend-open': {
    status: 409,
    when: 'all messages of the endpoint are being resent already; ask again when they are due',
    next: 'Wait until the open messages are delivered.',
  },
  'task-finished': {
    status: 409,
    when: 'the task has finished, so nobody can cancel it; or the task is done, so nobody can retry it',
    next: 'Read the task. Nothing has to be repeated.',
  },
  'task-running': {
    status: 409,
    when: 'a worker runs the task now, so it cannot be retried',
    next: 'Wait for the end of the attempt, or cancel the task first.',
  },
  'too-many-endpoints': {
    status: 409,
    when: 'a company has at most 10 endpoints; nothing was changed',
    next: 'Delete an endpoint that you do not need.',
  },
  'body-too-large': {
    status: 413,
    when: 'the body has more bytes than any request needs',
    next: 'Send a smaller body.',
  },
  'unsupported-media-type': {
    status: 415,
    when: 'the body is not sent as `application/json`',
    next: 'Send JSON, with `Content-Type: application/json`.',
  },
  'key-reused': {
    status: 422,
    when: 'another request came with this `Idempotency-Key` before; nothing was changed',
    next: 'Send each new request with a new key. Keep a key only for repeats of one request.',
  },
  'too-many-requests': {
    status: 429,
    when: 'this caller sends too many requests, this network sends too many tokens that are not valid, or this client has too many streams of `/jobs/events`',
    next: 'Wait as long as `Retry-After` says. Close the streams that nobody reads.',
  },
  'internal-error': {
    status: 500,
    when: 'a fault of the service; the answer has a `requestId`, and the log has the error under it',
    next: 'Give the `requestId` to whoever operates the service.',
  },
  busy: {
    status: 503,
    when: 'the job or the database is busy; **nothing was changed**',
    next: 'Wait as long as `Retry-After` says, and send the request again.',
  },
  'outcome-unknown': {
    status: 503,
    when: 'PostgreSQL did not answer in time, or the connection broke at the INSERT of a claim or at COMMIT; it is **not known** whether anything was changed; send the request again with the same key, or read the current state',
    next: 'Send the same request with the same `Idempotency-Key`. Then nothing is done twice.',
  },
  'shutting-down': {
    status: 503,
    when: 'the server is about to stop; nothing was changed',
    next: 'Wait as long as `Retry-After` says, and send the request again. Another server answers.',
  },
  'database-read-only': {
    status: 503,
    when: '`GET /readyz` only: the database takes no writes',
    next: 'Wait for the failover, or find the primary of the database.',
  },
  'database-unreachable': {
    status: 503,
    when: '`GET /readyz` only: the database cannot be reached',
    next: 'Check the database, its address and the network. `npm run doctor` helps.',
  },
  'migrations-missing': {
    status: 503,
    when: '`GET /readyz` only: the database is older than this server',
    next: 'Run `npm run migrate`.',
  },
  'database-too-new': {
    status: 503,
    when: '`GET /readyz` only: this version is too old for the database',
    next: 'Start a newer version. The guide for operators also says how to go back.',
  },
  'worker-cannot-renew': {
    status: 503,
    when: '`GET /readyz` only: the worker of this process cannot renew its leases',
    next: 'Check the database. The worker goes on by itself.',
  },
} as const satisfies Record<string, Meaning>;

export type ProblemCode = keyof typeof meanings;

export const problemCodes = Object.keys(meanings).toSorted() as [ProblemCode, ...ProblemCode[]];
