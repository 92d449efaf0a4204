import { createClient } from '../../client/index.ts';
import { token, tokenWanted } from './token.ts';

/**
 * The base address of the service. This is the folder of the page's address, so the pages also work
 * behind a proxy that adds a path. A page from the disk has no service.
 */
export const serviceUrl = location.protocol === 'file:' ? '.' : new URL('.', location.href).href;

let send: typeof fetch = (...request) => fetch(...request);

/** Answers all requests of the page by this function. A page without a service needs it. */
export function answerBy(answer: (path: string, init: RequestInit) => Promise<Response>) {
  send = (address, init = {}) => answer(String(address).slice(api.url.length), init);
}

export const api = createClient(serviceUrl, {
  fetch: (...request) => send(...request),
  token(refused) {
    // The service has refused the token that this tab still has, so the person must give a new
    // token.
    if (refused === token.get()) askWho();
    return token.get();
  },
});

token.onChange(() => api.forgetToken());

/**
 * Makes the page ask who the person is. A room for a class knows its students by a cookie, so the
 * person joins the room. Other services need a token from the person.
 */
function askWho() {
  if ('classroom' in document.documentElement.dataset) location.assign('./join');
  else tokenWanted.set(true);
}
