import { createStore } from './store.ts';

/**
 * The name of the token in the storage of this tab. Each tab has its own token, and the browser
 * deletes the token when the tab is closed.
 */
const KEPT_AS = 'rowlock.token';

export const token = createStore(sessionStorage.getItem(KEPT_AS) ?? '');

/** Whether the service has refused a request because the token is missing or not valid. */
export const tokenWanted = createStore(false);

export function presentToken(text: string) {
  sessionStorage.setItem(KEPT_AS, text);
  token.set(text);
  tokenWanted.set(false);
}
