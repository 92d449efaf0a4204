import { expect, expectTypeOf, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { documentOf } from '../../src/http/docs/document.ts';
import { makeApp } from '../support/app.ts';

const { app } = await makeApp();
const client = createClient('http://localhost', { fetch: app.request });

type Client = typeof client;
type Id = string | number;
interface Slots {
  capacity: number;
  claimed: number;
  remaining: number;
}
interface Claim {
  id: Id;
  jobId: Id;
  recruiterId: Id;
  claimedAt: string;
  expiresAt: string | null;
}
interface Named {
  id: Id;
  name: string;
  createdAt: string;
}
interface Job extends Slots {
  id: Id;
  company: { id: Id; name: string };
  role: string;
  createdAt: string;
}
interface Task {
  id: Id;
  kind: string;
  lane: string;
  status: 'waiting' | 'running' | 'done' | 'dead' | 'cancelled';
  createdAt: string;
  runAt: string;
  attempt: number;
  attemptsLeft: number;
  workerId: Id | null;
  beganAt: string | null;
  leaseUntil: string | null;
  finishedAt: string | null;
  error: string | null;
}
interface TaskWithAttempts extends Task {
  // biome-ignore lint/suspicious/noExplicitAny: each kind has a payload of its own.
  payload: any;
  attempts: {
    number: number;
    workerId: Id;
    workerName: string | null;
    beganAt: string;
    endedAt: string | null;
    ended: 'running' | 'done' | 'failed' | 'lost' | 'given back' | 'cancelled';
    error: string | null;
  }[];
}
interface Worker {
  id: Id;
  name: string;
  version: string;
  kinds: string[];
  status: 'living' | 'lost' | 'stopped';
  startedAt: string;
  seenAt: string;
  stoppedAt: string | null;
  places: number;
  holds: Id[];
}
interface JobEvent extends Slots {
  number: number;
  kind:
    | 'posted'
    | 'changed'
    | 'removed'
    | 'claimed'
    | 'released'
    | 'expired'
    | 'renewed'
    | 'resized';
  at: string;
  claimId: Id | null;
  recruiterId: Id | null;
  expiresAt: string | null;
  role: string;
}
type MessageType = 'claim.created' | 'claim.released' | 'claim.expired' | 'job.full' | 'job.open';
interface Endpoint {
  id: Id;
  companyId: Id;
  url: string;
  types: MessageType[];
  description: string;
  enabled: boolean;
  disabledBecause: 'gone' | 'failing' | null;
  failingSince: string | null;
  disablesAt: string | null;
  pausedUntil: string | null;
  oldSecretUntil: string | null;
  createdAt: string;
}
interface DeliveryAttempt {
  at: string;
  milliseconds: number;
  status: number | null;
  detail: string;
}
interface Delivery {
  id: Id;
  endpointId: Id;
  messageId: string;
  type: string;
  job: { id: Id; role: string } | null;
  status: 'waiting' | 'delivered' | 'failed';
  createdAt: string;
  deliveredAt: string | null;
  nextAttemptAt: string | null;
  attemptCount: number;
  lastAttempt: DeliveryAttempt | null;
}
type WithSecret = Endpoint & { secret: string };
type WholeDelivery = Delivery & { body: string; attempts: DeliveryAttempt[] };
type Told = { message: string; claim: Claim } & Slots;
type Paged = { nextCursor: string | null };

/** The type of the body of a call's answer with this status. */
type Body<Call, Status> = Call extends (...args: never[]) => Promise<infer Answer>
  ? Extract<Answer, { status: Status }> extends { json(): Promise<infer Content> }
    ? Content
    : never
  : never;

/** For each operation: the type of the call, and the status and type of its successful answer. */
interface Routes {
  claimJobByGet: [Client['claim-job']['$get'], 200, Told];
  claimJob: [Client['jobs'][':jobId']['claims']['$post'], 201, Told];
  listClaimsOfJob: [
    Client['jobs'][':jobId']['claims']['$get'],
    200,
    { claims: Claim[] } & Paged & Slots,
  ];
  readClaim: [Client['claims'][':id']['$get'], 200, { claim: Claim } & Slots];
  releaseClaim: [Client['claims'][':id']['$delete'], 200, Told];
  renewClaim: [Client['claims'][':id']['renew']['$post'], 200, Told];
  listClaimsOfRecruiter: [
    Client['recruiters'][':id']['claims']['$get'],
    200,
    { claims: Claim[] } & Paged,
  ];
  createJob: [Client['jobs']['$post'], 201, Job];
  listJobs: [Client['jobs']['$get'], 200, { jobs: Job[] } & Paged];
  readJob: [Client['jobs'][':id']['$get'], 200, Job];
  changeJob: [Client['jobs'][':id']['$patch'], 200, Job];
  createCompany: [Client['companies']['$post'], 201, Named];
  listCompanies: [Client['companies']['$get'], 200, { companies: Named[] } & Paged];
  readCompany: [Client['companies'][':id']['$get'], 200, Named];
  createRecruiter: [Client['recruiters']['$post'], 201, Named];
  listRecruiters: [Client['recruiters']['$get'], 200, { recruiters: Named[] } & Paged];
  readRecruiter: [Client['recruiters'][':id']['$get'], 200, Named];
  listTasks: [Client['tasks']['$get'], 200, { tasks: Task[] } & Paged];
  readTask: [Client['tasks'][':id']['$get'], 200, TaskWithAttempts];
  retryTask: [Client['tasks'][':id']['retry']['$post'], 200, TaskWithAttempts];
  cancelTask: [Client['tasks'][':id']['cancel']['$post'], 200, TaskWithAttempts];
  listEventsOfJob: [Client['jobs'][':id']['events']['$get'], 200, { events: JobEvent[] } & Paged];
  createEndpoint: [Client['companies'][':id']['endpoints']['$post'], 201, WithSecret];
  listEndpoints: [
    Client['companies'][':id']['endpoints']['$get'],
    200,
    { endpoints: Endpoint[] } & Paged,
  ];
  readEndpoint: [Client['endpoints'][':id']['$get'], 200, Endpoint];
  changeEndpoint: [Client['endpoints'][':id']['$patch'], 200, Endpoint];
  deleteEndpoint: [Client['endpoints'][':id']['$delete'], 200, Endpoint];
  rotateSecret: [Client['endpoints'][':id']['rotate-secret']['$post'], 200, WithSecret];
  enableEndpoint: [Client['endpoints'][':id']['enable']['$post'], 200, Endpoint];
  disableEndpoint: [Client['endpoints'][':id']['disable']['$post'], 200, Endpoint];
  testEndpoint: [Client['endpoints'][':id']['test']['$post'], 201, WholeDelivery];
  resendDeliveriesSince: [Client['endpoints'][':id']['resend']['$post'], 202, { since: string }];
  listDeliveries: [
    Client['endpoints'][':id']['deliveries']['$get'],
    200,
    { deliveries: Delivery[] } & Paged,
  ];
  readDelivery: [Client['deliveries'][':id']['$get'], 200, WholeDelivery];
  resendDelivery: [Client['deliveries'][':id']['resend']['$post'], 200, WholeDelivery];
  listWorkers: [Client['workers']['$get'], 200, { workers: Worker[] } & Paged];
}

/** True if each of the two types is assignable to the other. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Typed = {
  [Name in keyof Routes]: Same<Body<Routes[Name][0], Routes[Name][1]>, Routes[Name][2]>;
};

test('every operation of the OpenAPI document is a call with a typed answer', () => {
  const typed: Typed = {
    claimJobByGet: true,
    claimJob: true,
    listClaimsOfJob: true,
    readClaim: true,
    releaseClaim: true,
    renewClaim: true,
    listClaimsOfRecruiter: true,
    createJob: true,
    listJobs: true,
    readJob: true,
    changeJob: true,
    createCompany: true,
    listCompanies: true,
    readCompany: true,
    createRecruiter: true,
    listRecruiters: true,
    readRecruiter: true,
    listTasks: true,
    readTask: true,
    retryTask: true,
    cancelTask: true,
    listEventsOfJob: true,
    createEndpoint: true,
    listEndpoints: true,
    readEndpoint: true,
    changeEndpoint: true,
    deleteEndpoint: true,
    rotateSecret: true,
    enableEndpoint: true,
    disableEndpoint: true,
    testEndpoint: true,
    resendDeliveriesSince: true,
    listDeliveries: true,
    readDelivery: true,
    resendDelivery: true,
    listWorkers: true,
  };
  const documented = Object.values(documentOf(app).paths ?? {}).flatMap((item) =>
    Object.values(item as Record<string, { operationId: string; tags: string[] }>),
  );
  // The client leaves out the operations for operators, and the stream, which is no JSON.
  const calls = documented
    .filter(({ tags, operationId }) => !tags.includes('Operation') && operationId !== 'followJobs')
    .map(({ operationId }) => operationId);
  expect(Object.keys(typed).sort()).toEqual(calls.sort());
});

test('the status of an answer gives the type of its body', async () => {
  const request = { param: { jobId: '1' }, json: { recruiterId: 1 } };
  const claimed = await client.jobs[':jobId'].claims.$post(request);
  expectTypeOf(claimed.status).toEqualTypeOf<
    201 | 400 | 401 | 403 | 404 | 409 | 422 | 429 | 500 | 503
  >();
  if (claimed.status !== 201) throw new Error(`answered ${claimed.status}`);
  const { claim } = await claimed.json();
  expectTypeOf(claim).toEqualTypeOf<Claim>();
  expect(claim).toMatchObject({ jobId: 1, recruiterId: 1 });

  const again = await client.jobs[':jobId'].claims.$post(request);
  if (again.status !== 409) throw new Error(`answered ${again.status}`);
  const { code } = await again.json();
  expectTypeOf<'already-claimed' | 'key-in-use'>().toExtend<typeof code>();
  expectTypeOf<'no-such-code'>().not.toExtend<typeof code>();
  expect(code).toBe('already-claimed');
});
