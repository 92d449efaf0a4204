import { api } from '../parts/api.ts';
import { dataOf } from '../parts/insist.ts';
import { searched } from '../parts/search.ts';
import { type Directory, MOST_FOUND } from '../parts/who/named.ts';

export const companies: Directory = {
  role: 'company',
  plural: 'Companies',
  async find(q, options) {
    const args = { limit: MOST_FOUND, ...searched(q) };
    return dataOf(await api.listCompanies(args, options)).companies;
  },
  read: async (id, options) => dataOf(await api.readCompany({ id }, options)),
};
