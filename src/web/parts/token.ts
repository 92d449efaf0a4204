import { createStore } from './store.ts';

/** Each tab keeps its own token, and forgets it when the tab is closed. */
const KEPT_AS = 'rowlock.token';

export const token = createStore(sessionStorage.getItem(KEPT_AS) ?? '');

/** Whether the service refuses requests because it wants a token, or a better token. */
export const tokenWanted = createStore(false);

export function presentToken(text: string) {
  sessionStorage.setItem(KEPT_AS, text);
  token.set(text);
  tokenWanted.set(false);
}

/**
 * The role and the id that a token names. Only the service checks tokens. The page needs the id for
 * its requests.
 */
export function bearerOf(text: string): { role?: string; sub?: string } {
  try {
    const [, payload = ''] = text.split('.');
    return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    return {};
  }
}
