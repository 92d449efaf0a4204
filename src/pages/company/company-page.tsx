import { useState } from 'hono/jsx/dom';
import { bearerOf } from '../../client/index.ts';
import { useAddress } from '../parts/address.ts';
import { api } from '../parts/api.ts';
import { dataOf } from '../parts/insist.ts';
import { useJobs } from '../parts/jobs/use-jobs.ts';
import { useLive } from '../parts/jobs/use-live.ts';
import { searched } from '../parts/search.ts';
import { useStore } from '../parts/store.ts';
import { token } from '../parts/token.ts';
import { useEffect } from '../parts/use-effect.ts';
import { type Directory, MOST_FOUND } from '../parts/who/named.ts';
import { useWho } from '../parts/who/use-who.ts';
import { Who } from '../parts/who/who.tsx';
import { Endpoints } from './endpoints/endpoints.tsx';
import { OwnJobs } from './own-jobs.tsx';

/**
 * The number of jobs that the page shows at a time. A longer list would push the endpoints too far
 * down.
 */
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
    // If the service needs tokens, it refuses this request, and the page immediately asks for a
    // token.
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
  /**
   * The number of events of the jobs so far. After each event, the page reads the endpoints and the
   * deliveries again.
   */
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

interface CompanyAddress {
  /** The id of the company. Empty until somebody chooses a company. */
  company: string;
  /** The cursor where the list of jobs begins. Empty means the first page. */
  after: string;
  /**
   * The endpoint whose deliveries are shown, or `none`. If this is empty and the company has a
   * single endpoint, the deliveries of this endpoint are shown.
   */
  endpoint: string;
}

const KEPT_AS = 'rowlock.company';

function useCompanyAddress() {
  const { change, begin, ...rest } = useAddress(readAddress);
  return {
    ...rest,
    showEndpoint: (endpoint: string) => change({ endpoint }),
    become(company: string) {
      localStorage.setItem(KEPT_AS, company);
      begin({ company, endpoint: '' });
    },
  };
}

const readAddress = (query: URLSearchParams): CompanyAddress => ({
  company: query.get('company') ?? localStorage.getItem(KEPT_AS) ?? '',
  after: query.get('after') ?? '',
  endpoint: query.get('endpoint') ?? '',
});

const companies: Directory = {
  role: 'company',
  plural: 'Companies',
  async find(q, options) {
    const args = { limit: MOST_FOUND, ...searched(q) };
    return dataOf(await api.listCompanies(args, options)).companies;
  },
  read: async (id, options) => dataOf(await api.readCompany({ id }, options)),
};
