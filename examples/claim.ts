/**
 * Claims a job with a lease, renews the lease, and prints a line for each:
 *
 *     npx tsx examples/claim.ts http://localhost:3000 JOB_ID RECRUITER_ID [TOKEN]
 *
 * Ends with 0 when the job was claimed, and with 1 when it was not.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'rowlock/client';

const ATTEMPTS = 5;
const RETRY_SECONDS = 1;
const LEASE_SECONDS = 60;

const [url = 'http://localhost:3000', jobId = '1', recruiterId = '1', token] =
  process.argv.slice(2);
const rowlock = createClient(url, token ? { headers: { Authorization: `Bearer ${token}` } } : {});

const say = (line: string) => process.stdout.write(`${line}\n`);

/**
 * Asks, and asks again while the service is busy (503), counts too many requests (429), or still
 * works on the same request (409). `Retry-After` says when. Without an answer it asks again after a
 * second. All attempts have one key, so the work is done once. Throws the error of the last attempt.
 */
async function patiently<Answer extends { headers: Headers }>(
  ask: (init: { headers: { 'Idempotency-Key': string } }) => Promise<Answer>,
): Promise<Answer> {
  const headers = { 'Idempotency-Key': randomUUID() };
  for (let attempt = 1; ; attempt++) {
    const answer = await ask({ headers }).catch((error: unknown) => {
      if (attempt === ATTEMPTS) throw error;
    });
    const seconds = answer ? answer.headers.get('Retry-After') : RETRY_SECONDS;
    if (answer && (seconds === null || attempt === ATTEMPTS)) return answer;
    await sleep(Number(seconds) * 1000);
  }
}

async function claim() {
  const request = { param: { jobId }, json: { recruiterId, leaseSeconds: LEASE_SECONDS } };
  const answer = await patiently((init) => rowlock.jobs[':jobId'].claims.$post(request, init));
  if (answer.status === 201) return (await answer.json()).claim;
  say(inWords(await answer.json()));
  return undefined;
}

async function renew(id: string) {
  const request = { param: { id }, json: { leaseSeconds: LEASE_SECONDS } };
  const answer = await patiently((init) => rowlock.claims[':id'].renew.$post(request, init));
  if (answer.status === 200) return (await answer.json()).claim.expiresAt;
  say(inWords(await answer.json()));
  return undefined;
}

type Answers = Awaited<ReturnType<(typeof rowlock.claims)[':id']['renew']['$post']>>;
type Problem = Awaited<ReturnType<Extract<Answers, { status: 404 }>['json']>>;

/** The refusal in a recruiter's words. Each code is a case of its own. */
function inWords({ code, title, detail, capacity }: Problem): string {
  switch (code) {
    case 'job-full':
      return `Too late: ${capacity} recruiters have this job.`;
    case 'already-claimed':
      return 'The job is yours already.';
    case 'job-not-found':
    case 'recruiter-not-found':
      return `${title}.`;
    case 'claim-not-found':
      return 'The lease has ended, or the claim was released: claim the job anew.';
    case 'no-lease':
      return 'The claim stays as it is: there is nothing to renew.';
    case 'unauthorized':
    case 'forbidden':
      return `${title}: give a token of this recruiter.`;
    case 'busy':
    case 'shutting-down':
    case 'too-many-requests':
    case 'key-in-use':
      return 'The service is busy: nothing was claimed.';
    case 'outcome-unknown':
      return 'It is not known whether the job was claimed: look before you ask anew.';
    default:
      return `${title}: ${detail}`;
  }
}

const claimed = await claim();
if (claimed) {
  say(`Claimed: ${claimed.id}, until ${claimed.expiresAt}`);
  const until = await renew(String(claimed.id));
  if (until) say(`Renewed: until ${until}`);
}
process.exitCode = claimed ? 0 : 1;
