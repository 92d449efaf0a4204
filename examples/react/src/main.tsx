import { type MouseEvent, useEffect, useReducer } from 'react';
import { createRoot } from 'react-dom/client';
import { createClient } from 'rowlock-client';
import { type JobToClaim, useJobs } from 'rowlock-client/react';

// Claims jobs. Open the page with ?recruiter=7. Add &service= and the address of the service if the
// service is not at localhost:3000.
const LEASE_SECONDS = 60;
const page = new URLSearchParams(location.search);
const recruiter = page.get('recruiter') ?? '1';
const company = page.get('company') ?? '1';

const rowlock = createClient(page.get('service') ?? 'http://localhost:3000', {
  // The client calls this function without an argument before its first request.
  token(refused) {
    if (refused !== undefined) sessionStorage.token = prompt('Your token, please') ?? '';
    return sessionStorage.token;
  },
});

function Board() {
  const { jobs, status, problem, claim, release } = useJobs(rowlock, { company }, recruiter);
  return (
    <>
      <h1>Jobs</h1>
      <p role="status">{problem?.detail ?? status}</p>
      <ul>
        {jobs.map((job) => (
          <Row
            key={job.id}
            job={job}
            onClaim={() => claim(job.id, LEASE_SECONDS)}
            onRelease={() => release(job.id)}
          />
        ))}
      </ul>
    </>
  );
}

interface RowProps {
  job: JobToClaim;
  onClaim(): void;
  onRelease(): void;
}

function Row({ job, onClaim, onRelease }: RowProps) {
  const onClick = ({ detail }: MouseEvent) => {
    // After the first click, the button has its other meaning. A double click means only the first.
    if (detail > 1) return;
    if (job.claim) onRelease();
    else onClaim();
  };
  return (
    <li>
      {job.role}: {job.claimed} of {job.capacity}{' '}
      <button type="button" onClick={onClick}>
        {job.claim ? 'Release' : 'Claim'}
      </button>{' '}
      {job.claim?.expiresAt && <Countdown expiresAt={job.claim.expiresAt} />}{' '}
      {job.problem &&
        (job.problem.code === 'job-full' ? 'Too late: the job is full.' : job.problem.detail)}
    </li>
  );
}

/** Shows the remaining time of a lease, by the clock of the service. */
function Countdown({ expiresAt }: { expiresAt: string }) {
  const [, render] = useReducer((ticks: number) => ticks + 1, 0);
  useEffect(() => {
    const timer = setInterval(render, 500);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((Date.parse(expiresAt) - rowlock.now()) / 1000));
  return <>yours for {seconds} s</>;
}

const root = document.getElementById('root');
if (root) createRoot(root).render(<Board />);
