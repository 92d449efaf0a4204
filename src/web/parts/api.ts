import { createClient } from '../../client/index.ts';
import { serviceClock } from './clock.ts';
import { token, tokenWanted } from './token.ts';

/** Where the service is: beside the page, whatever a proxy has put in front of it. */
export const serviceUrl = new URL('.', location.href).href;

/** Such as the … of a token that was copied in part: no header can carry it, and no token has it. */
const UNSENDABLE = /[^\x21-\x7e]/g;

/** How the pages ask: with the token that the tab was given, if any. */
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
