import { useAddress } from '../parts/address.ts';
import type { Filter } from '../parts/jobs/jobs.ts';

export interface BoardAddress extends Pick<Filter, 'q' | 'status' | 'after'> {
  /** The recruiter for whom the page claims. Two tabs may have different recruiters. */
  recruiter: string;
}

const KEPT_AS = 'rowlock.recruiter';

export function useBoardAddress() {
  const { change, begin, ...rest } = useAddress(readAddress);
  return {
    ...rest,
    filter: (filter: Pick<Partial<Filter>, 'q' | 'status'>) => begin(filter),
    become(recruiter: string) {
      localStorage.setItem(KEPT_AS, recruiter);
      change({ recruiter });
    },
  };
}

function readAddress(query: URLSearchParams): BoardAddress {
  const status = query.get('status');
  return {
    recruiter: query.get('recruiter') ?? localStorage.getItem(KEPT_AS) ?? '',
    q: query.get('q') ?? '',
    status: status === 'open' || status === 'full' ? status : '',
    after: query.get('after') ?? '',
  };
}
