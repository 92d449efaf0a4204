/**
 * Calls every operation, except those for operators, with the types of openapi-typescript. Prints
 * the name of each operation.
 */
import createClient from 'openapi-fetch';
import type { paths } from './schema.ts';

const { GET, POST, PATCH, DELETE } = createClient<paths>({ baseUrl: process.argv[2] ?? '' });

async function said<T>(name: string, asked: Promise<{ data?: T; response: Response }>): Promise<T> {
  const { data, response } = await asked;
  if (!response.ok) throw new Error(`${name} was answered with ${response.status}`);
  process.stdout.write(`${name}\n`);
  return data as T;
}
const at = (id: string | number) => ({ params: { path: { id: String(id) } } });

const company = await said('createCompany', POST('/companies', { body: { name: 'Harbour' } }));
await said('listCompanies', GET('/companies', { params: { query: { q: 'harb' } } }));
await said('readCompany', GET('/companies/{id}', at(company.id)));
const recruiter = await said('createRecruiter', POST('/recruiters', { body: { name: 'Amara' } }));
const { data: waiter = recruiter } = await POST('/recruiters', { body: { name: 'Bela' } });
await said('listRecruiters', GET('/recruiters'));
await said('readRecruiter', GET('/recruiters/{id}', at(recruiter.id)));

const body = { companyId: company.id, role: 'Tester' };
const job = await said('createJob', POST('/jobs', { body }));
await said('listJobs', GET('/jobs', { params: { query: { limit: 5 } } }));
await said('readJob', GET('/jobs/{id}', at(job.id)));
await said('changeJob', PATCH('/jobs/{id}', { ...at(job.id), body: { capacity: 3 } }));

const endpoint = await said(
  'createEndpoint',
  POST('/companies/{id}/endpoints', { ...at(company.id), body: { url: 'http://localhost:9/' } }),
);
await said('listEndpoints', GET('/companies/{id}/endpoints', at(company.id)));
await said('readEndpoint', GET('/endpoints/{id}', at(endpoint.id)));
await said(
  'changeEndpoint',
  PATCH('/endpoints/{id}', { ...at(endpoint.id), body: { description: 'A test' } }),
);
await said('rotateSecret', POST('/endpoints/{id}/rotate-secret', at(endpoint.id)));
await said('disableEndpoint', POST('/endpoints/{id}/disable', at(endpoint.id)));
await said('enableEndpoint', POST('/endpoints/{id}/enable', at(endpoint.id)));
const delivery = await said('testEndpoint', POST('/endpoints/{id}/test', at(endpoint.id)));
await said('listDeliveries', GET('/endpoints/{id}/deliveries', at(endpoint.id)));
await said('readDelivery', GET('/deliveries/{id}', at(delivery.id)));
await said('resendDelivery', POST('/deliveries/{id}/resend', at(delivery.id)));
const since = new Date(Date.now() - 60_000).toISOString();
await said(
  'resendDeliveriesSince',
  POST('/endpoints/{id}/resend', { ...at(endpoint.id), body: { since } }),
);

const ids = { jobId: String(job.id), recruiterId: String(recruiter.id) };
const byGet = await said('claimJobByGet', GET('/claim-job', { params: { query: ids } }));
await said('releaseClaim', DELETE('/claims/{id}', at(byGet.claim.id)));
const { claim } = await said(
  'claimJob',
  POST('/jobs/{jobId}/claims', {
    params: { path: { jobId: ids.jobId }, header: { 'Idempotency-Key': 'generated-1' } },
    body: { recruiterId: recruiter.id, leaseSeconds: 60 },
  }),
);
await said('readClaim', GET('/claims/{id}', at(claim.id)));
await said(
  'renewClaim',
  POST('/claims/{id}/renew', { ...at(claim.id), body: { leaseSeconds: 90 } }),
);
await said('listClaimsOfJob', GET('/jobs/{jobId}/claims', { params: { path: ids } }));
await said('listClaimsOfRecruiter', GET('/recruiters/{id}/claims', at(recruiter.id)));
await said('listEventsOfJob', GET('/jobs/{id}/events', at(job.id)));

const line = { path: { jobId: ids.jobId } };
const place = { path: { jobId: ids.jobId, recruiterId: String(waiter.id) } };
await said(
  'changeWaitlist',
  PATCH('/jobs/{jobId}/waitlist', { params: line, body: { offerMinutes: 5 } }),
);
const join = () =>
  POST('/jobs/{jobId}/waitlist', { params: line, body: { recruiterId: waiter.id } });
await said('joinWaitlist', join());
await said('listWaitlist', GET('/jobs/{jobId}/waitlist', { params: line }));
await said('listWaitlistsOfRecruiter', GET('/recruiters/{id}/waitlist', at(waiter.id)));
await said('readPlaceInLine', GET('/jobs/{jobId}/waitlist/{recruiterId}', { params: place }));
await said('leaveWaitlist', DELETE('/jobs/{jobId}/waitlist/{recruiterId}', { params: place }));
const { data: joined } = await join();
const offered = joined?.entry?.offer?.claimId ?? 0;
await said('acceptOffer', POST('/claims/{id}/accept', { ...at(offered), body: {} }));

const stream = { parseAs: 'stream' } as const;
const jobStream = await said(
  'followJobs',
  GET('/jobs/events', { params: { query: { jobId: [ids.jobId] } }, ...stream }),
);
await (jobStream as ReadableStream | null)?.cancel();
const claimStream = await said(
  'followClaims',
  GET('/me/events', { params: { query: { recruiterId: ids.recruiterId } }, ...stream }),
);
await (claimStream as ReadableStream | null)?.cancel();

const { tasks } = await said(
  'listTasks',
  GET('/tasks', { params: { query: { status: 'waiting' } } }),
);
const task = at(tasks[0]?.id ?? 0);
await said('readTask', GET('/tasks/{id}', task));
await said('cancelTask', POST('/tasks/{id}/cancel', task));
await said('retryTask', POST('/tasks/{id}/retry', task));
await said('listWorkers', GET('/workers'));
await said('deleteEndpoint', DELETE('/endpoints/{id}', at(endpoint.id)));
