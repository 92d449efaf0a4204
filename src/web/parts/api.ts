import { createClient } from '../../client/index.ts';
import { serviceClock } from './clock.ts';
import { token, tokenWanted } from './token.ts';

/** The base address of the service. It is the folder of the page, also behind a proxy. */
export const serviceUrl = new URL('.', location.href).href;

/**
 * Characters that no header can contain, such as the … of a partly copied token. No valid token has
 * them.
 */
const UNSENDABLE = /[^\x21-\x7e]/g;

/** The options for all requests of the pages. The token of this tab is sent, if there is one. */
export const asking = {
  headers: (): Record<string, string> =>
    token.get() === ''
      ? {}
      : { Authorization: `Bearer ${token.get().replaceAll(UNSENDABLE, '?')}` },
  fetch: async (input: RequestInfo | URL, init?: RequestInit) => {
    const sent = Date.now();
    const answer = await fetch(input, init);
    const date = Date.parse(answer.headers.get('Date') ?? '');
    if (!Number.isNaN(date)) serviceClock.hear({ sent, received: Date.now(), date });
    if (answer.status === 401) tokenWanted.set(true);
    return answer;
  },
};

export const api = createClient(serviceUrl, asking);
