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
 * The bearer that the token names. The service checks tokens; the page only needs to know whom to
 * ask for.
 */
export function bearerOf(text: string): { role?: string; sub?: string } {
  try {
    const [, payload = ''] = text.split('.');
    return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    return {};
  }
}
