import { useState } from 'hono/jsx/dom';
import { useEffect } from '../parts/use-effect.ts';
import type { Filter } from './jobs/jobs.ts';

/**
 * The state that the page keeps in its address. People can bookmark and share the address, and the
 * browser's Back button returns to it.
 */
export interface Address extends Filter {
  /** The recruiter for whom the page claims. Two tabs may have different recruiters. */
  recruiter: string;
}

/** The cursors of the earlier pages, kept in the browser's history. */
type Trail = string[];

const KEPT_AS = 'rowlock.recruiter';

export function useAddress() {
  const [address, setAddress] = useState(readAddress());
  const write = (change: Partial<Address>, how: 'pushState' | 'replaceState', trail: Trail) => {
    const next = { ...readAddress(), ...change };
    if (change.recruiter !== undefined) localStorage.setItem(KEPT_AS, change.recruiter);
    history[how]({ trail }, '', toQuery(next));
    setAddress(next);
  };
  useEffect(() => {
    // From now on this tab keeps its recruiter, even if another tab chooses another recruiter.
    write({}, 'replaceState', readTrail());
    const onBack = () => setAddress(readAddress());
    addEventListener('popstate', onBack);
    return () => removeEventListener('popstate', onBack);
  }, []);
  return {
    address,
    /** How many pages come before this page. */
    depth: readTrail().length,
    become: (recruiter: string) => write({ recruiter }, 'replaceState', readTrail()),
    filter: (change: Pick<Partial<Filter>, 'q' | 'status'>) =>
      write({ ...change, after: '' }, 'replaceState', []),
    turnTo: (after: string) => write({ after }, 'pushState', [...readTrail(), readAddress().after]),
    turnBack: () => {
      const trail = readTrail();
      write({ after: trail.at(-1) ?? '' }, 'pushState', trail.slice(0, -1));
    },
  };
}

function readAddress(): Address {
  const query = new URLSearchParams(location.search);
  const status = query.get('status');
  return {
    recruiter: query.get('recruiter') ?? localStorage.getItem(KEPT_AS) ?? '',
    q: query.get('q') ?? '',
    status: status === 'open' || status === 'full' ? status : '',
    after: query.get('after') ?? '',
  };
}

const readTrail = (): Trail => (history.state as { trail?: Trail } | null)?.trail ?? [];

/** The query string of an address. Empty values are left out. */
function toQuery(address: Address): string {
  const given = Object.entries(address).filter(([, value]) => value !== '');
  return given.length === 0 ? location.pathname : `?${new URLSearchParams(given)}`;
}
