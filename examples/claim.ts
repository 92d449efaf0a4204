/**
 * Claims a job with a lease, renews the lease, and prints a line about the claim and the renewal:
 *
 *     npx tsx examples/claim.ts http://localhost:3000 JOB_ID RECRUITER_ID [TOKEN]
 *
 * The exit code is 0 if the job was claimed, and 1 otherwise.
 */
import { type Answer, createClient } from 'rowlock-client';

const LEASE_SECONDS = 60;

const [url = 'http://localhost:3000', jobId = '1', recruiterId = '1', token = ''] =
  process.argv.slice(2);
// While the service is busy, the client sends the request again, with the same idempotency key.
const rowlock = createClient(url, { token });

const say = (line: string) => process.stdout.write(`${line}\n`);

async function claim() {
  const answer = await rowlock.claimJob({ jobId, recruiterId, leaseSeconds: LEASE_SECONDS });
  if (answer.ok) return answer.data.claim;
  say(inWords(answer));
  return undefined;
}

async function renew(id: string | number) {
  const answer = await rowlock.renewClaim({ id, leaseSeconds: LEASE_SECONDS });
  if (answer.ok) return answer.data.claim.expiresAt;
  say(inWords(answer));
  return undefined;
}

type Refusal = Extract<Answer<'claimJob' | 'renewClaim'>, { ok: false }>;

/** Returns a message about the refusal for a recruiter. Each code has a message of its own. */
function inWords({ code, title, detail, capacity }: Refusal): string {
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
    case 'no-answer':
    case 'outcome-unknown':
      return 'It is not known whether the job was claimed: look before you ask anew.';
    default:
      return `${title}: ${detail}`;
  }
}

const claimed = await claim();
if (claimed) {
  say(`Claimed: ${claimed.id}, until ${claimed.expiresAt}`);
  const until = await renew(claimed.id);
  if (until) say(`Renewed: until ${until}`);
}
process.exitCode = claimed ? 0 : 1;
