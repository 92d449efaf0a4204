import { api } from '../parts/api.ts';
import { Refused } from '../parts/insist.ts';
import { searched } from '../parts/search.ts';
import { type Directory, MOST_FOUND } from '../parts/who/named.ts';

export const companies: Directory = {
  role: 'company',
  plural: 'Companies',
  async find(q, signal) {
    const query = { limit: String(MOST_FOUND), ...searched(q) };
    const answer = await api.companies.$get({ query }, { init: { signal } });
    if (!answer.ok) throw new Refused(await answer.json());
    return (await answer.json()).companies;
  },
  async read(id, signal) {
    const answer = await api.companies[':id'].$get({ param: { id } }, { init: { signal } });
    if (!answer.ok) throw new Refused(await answer.json());
    return answer.json();
  },
};
