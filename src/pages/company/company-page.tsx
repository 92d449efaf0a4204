import { useState } from 'hono/jsx/dom';
import { bearerOf } from '../../client/index.ts';
import { useJobs } from '../parts/jobs/use-jobs.ts';
import { useLive } from '../parts/jobs/use-live.ts';
import { useStore } from '../parts/store.ts';
import { token } from '../parts/token.ts';
import { useEffect } from '../parts/use-effect.ts';
import { useWho } from '../parts/who/use-who.ts';
import { Who } from '../parts/who/who.tsx';
import { useCompanyAddress } from './address.ts';
import { companies } from './companies.ts';
import { Endpoints } from './endpoints/endpoints.tsx';
import { OwnJobs } from './own-jobs.tsx';

/** How many jobs the page shows. The endpoints must stay in reach. */
const SIZE = 10;

/** Shows a company's jobs, its endpoints, and the deliveries to each endpoint. */
export function CompanyPage() {
  const { address, become, ...ways } = useCompanyAddress();
  const isRecruiter = bearerOf(useStore(token)).role === 'recruiter';
  const company = useWho(companies, address.company);
  useEffect(() => {
    document.title = [company.known?.name, 'Companies', 'Rowlock'].filter(Boolean).join(' · ');
  }, [company.known]);
  useEffect(() => {
    const leaving = new AbortController();
    // A service with tokens refuses this request. Then the page asks for the token at once.
    companies.find('', { signal: leaving.signal }).catch(() => undefined);
    return () => leaving.abort();
  }, []);
  return (
    <>
      <div class="title">
        <h1>{company.known?.name ?? 'Companies'}</h1>
      </div>
      {isRecruiter && (
        <p class="empty">This page is for companies. Your token belongs to a recruiter.</p>
      )}
      {!isRecruiter && !company.isFixed && (
        <section class="controls" aria-label="Company">
          <Who directory={companies} person={company} onChoose={({ id }) => become(String(id))} />
        </section>
      )}
      {!isRecruiter && company.id === '' && (
        <p class="empty">Choose your company. Its jobs and its endpoints then appear here.</p>
      )}
      {company.trouble && <p class="trouble">{company.trouble}</p>}
      {!isRecruiter && company.known && (
        <OneCompany key={company.id} companyId={company.id} address={address} {...ways} />
      )}
    </>
  );
}

interface OneCompanyProps extends Omit<ReturnType<typeof useCompanyAddress>, 'become'> {
  companyId: string;
}

function OneCompany({ companyId, address, depth, ...ways }: OneCompanyProps) {
  const { after, endpoint } = address;
  /** Counts the events of the jobs. After an event there may be new deliveries. */
  const [events, setEvents] = useState(0);
  const jobs = useJobs({ companyId, q: '', status: '', after, size: SIZE });
  const liveness = useLive(
    jobs.jobs.map(({ id }) => id),
    {
      onJobs(changed) {
        jobs.put(changed);
        setEvents((count) => count + 1);
      },
      onGone: jobs.remove,
      onLive: () => {},
    },
  );
  return (
    <div class="columns">
      <OwnJobs
        jobs={jobs}
        liveness={liveness}
        after={after}
        depth={depth}
        onTurn={ways.turnTo}
        onBack={ways.turnBack}
      />
      <Endpoints
        companyId={companyId}
        shown={endpoint}
        onShow={ways.showEndpoint}
        events={events}
      />
    </div>
  );
}
