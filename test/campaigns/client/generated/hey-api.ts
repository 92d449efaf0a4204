/**
 * Calls every operation, except those for operators, with the SDK of Hey API. Prints the name of
 * each operation.
 */
import { client } from './sdk/client.gen.ts';
import * as api from './sdk/sdk.gen.ts';

client.setConfig({ baseUrl: process.argv[2] ?? '' });

async function said<T>(
  name: string,
  asked: Promise<{ data?: T; response?: Response }>,
): Promise<T> {
  const { data, response } = await asked;
  if (!response?.ok) throw new Error(`${name} was answered with ${response?.status}`);
  process.stdout.write(`${name}\n`);
  return data as T;
}
const at = (id: string | number) => ({ path: { id: String(id) } });

const company = await said('createCompany', api.createCompany({ body: { name: 'Harbour' } }));
await said('listCompanies', api.listCompanies({ query: { q: 'harb' } }));
await said('readCompany', api.readCompany(at(company.id)));
const recruiter = await said('createRecruiter', api.createRecruiter({ body: { name: 'Amara' } }));
const { data: waiter = recruiter } = await api.createRecruiter({ body: { name: 'Bela' } });
await said('listRecruiters', api.listRecruiters());
await said('readRecruiter', api.readRecruiter(at(recruiter.id)));

const body = { companyId: company.id, role: 'Tester' };
const job = await said('createJob', api.createJob({ body }));
await said('listJobs', api.listJobs({ query: { limit: 5 } }));
await said('readJob', api.readJob(at(job.id)));
await said('changeJob', api.changeJob({ ...at(job.id), body: { capacity: 3 } }));

const url = 'http://localhost:9/';
const endpoint = await said(
  'createEndpoint',
  api.createEndpoint({ ...at(company.id), body: { url } }),
);
await said('listEndpoints', api.listEndpoints(at(company.id)));
await said('readEndpoint', api.readEndpoint(at(endpoint.id)));
const change = { description: 'A test' };
await said('changeEndpoint', api.changeEndpoint({ ...at(endpoint.id), body: change }));
await said('rotateSecret', api.rotateSecret(at(endpoint.id)));
await said('disableEndpoint', api.disableEndpoint(at(endpoint.id)));
await said('enableEndpoint', api.enableEndpoint(at(endpoint.id)));
const delivery = await said('testEndpoint', api.testEndpoint(at(endpoint.id)));
await said('listDeliveries', api.listDeliveries(at(endpoint.id)));
await said('readDelivery', api.readDelivery(at(delivery.id)));
await said('resendDelivery', api.resendDelivery(at(delivery.id)));
const since = new Date(Date.now() - 60_000).toISOString();
await said(
  'resendDeliveriesSince',
  api.resendDeliveriesSince({ ...at(endpoint.id), body: { since } }),
);

const ids = { jobId: String(job.id), recruiterId: String(recruiter.id) };
const byGet = await said('claimJobByGet', api.claimJobByGet({ query: ids }));
await said('releaseClaim', api.releaseClaim(at(byGet.claim.id)));
const { claim } = await said(
  'claimJob',
  api.claimJob({
    path: { jobId: ids.jobId },
    headers: { 'Idempotency-Key': 'generated-2' },
    body: { recruiterId: recruiter.id, leaseSeconds: 60 },
  }),
);
await said('readClaim', api.readClaim(at(claim.id)));
await said('renewClaim', api.renewClaim({ ...at(claim.id), body: { leaseSeconds: 90 } }));
await said('listClaimsOfJob', api.listClaimsOfJob({ path: { jobId: ids.jobId } }));
await said('listClaimsOfRecruiter', api.listClaimsOfRecruiter(at(recruiter.id)));
await said('listEventsOfJob', api.listEventsOfJob(at(job.id)));

const line = { path: { jobId: ids.jobId } };
const place = { path: { jobId: ids.jobId, recruiterId: String(waiter.id) } };
await said('changeWaitlist', api.changeWaitlist({ ...line, body: { offerMinutes: 5 } }));
const join = () => api.joinWaitlist({ ...line, body: { recruiterId: waiter.id } });
await said('joinWaitlist', join());
await said('listWaitlist', api.listWaitlist(line));
await said('listWaitlistsOfRecruiter', api.listWaitlistsOfRecruiter(at(waiter.id)));
await said('readPlaceInLine', api.readPlaceInLine(place));
await said('leaveWaitlist', api.leaveWaitlist(place));
const { data: joined } = await join();
const offered = joined?.entry?.offer?.claimId ?? 0;
await said('acceptOffer', api.acceptOffer({ ...at(offered), body: {} }));

/** Reads the first event of a stream, and closes the stream. */
async function heard(
  name: string,
  ask: (signal: AbortSignal) => Promise<{ stream: AsyncIterable<unknown> }>,
) {
  const leaving = new AbortController();
  const { stream } = await ask(leaving.signal);
  for await (const _ of stream) break;
  leaving.abort();
  process.stdout.write(`${name}\n`);
}
await heard('followJobs', (signal) => api.followJobs({ query: { jobId: [ids.jobId] }, signal }));
await heard('followClaims', (signal) =>
  api.followClaims({ query: { recruiterId: ids.recruiterId }, signal }),
);

const { tasks } = await said('listTasks', api.listTasks({ query: { status: 'waiting' } }));
const task = at(tasks[0]?.id ?? 0);
await said('readTask', api.readTask(task));
await said('cancelTask', api.cancelTask(task));
await said('retryTask', api.retryTask(task));
await said('listWorkers', api.listWorkers());
await said('deleteEndpoint', api.deleteEndpoint(at(endpoint.id)));
