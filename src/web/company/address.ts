import { useAddress } from '../parts/address.ts';

export interface CompanyAddress {
  /** The id of the company. Empty until somebody chooses. */
  company: string;
  /** The cursor where the list of jobs begins. Empty means the first page. */
  after: string;
  /**
   * The endpoint whose deliveries are shown, or `none`. Empty means the only endpoint, if there is
   * only one.
   */
  endpoint: string;
}

const KEPT_AS = 'rowlock.company';

export function useCompanyAddress() {
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
