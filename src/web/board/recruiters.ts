import { api } from '../parts/api.ts';
import { dataOf } from '../parts/insist.ts';
import { searched } from '../parts/search.ts';
import { type Directory, MOST_FOUND } from '../parts/who/named.ts';

export const recruiters: Directory = {
  role: 'recruiter',
  plural: 'Recruiters',
  async find(q, options) {
    const args = { limit: MOST_FOUND, ...searched(q) };
    return dataOf(await api.listRecruiters(args, options)).recruiters;
  },
  read: async (id, options) => dataOf(await api.readRecruiter({ id }, options)),
};
