import { createClient } from '../../client/index.ts';
import { token, tokenWanted } from './token.ts';

/** The base address of the service. It is the folder of the page, also behind a proxy. */
export const serviceUrl = new URL('.', location.href).href;

export const api = createClient(serviceUrl, {
  token(refused) {
    // The service has refused the token of this tab.
    if (refused === token.get()) askWho();
    return token.get();
  },
});

token.onChange(() => api.forgetToken());

/** A room for a class knows its students by a cookie. Other services want a token from a person. */
function askWho() {
  if ('classroom' in document.documentElement.dataset) location.assign('./join');
  else tokenWanted.set(true);
}
