import { createStore } from './store.ts';

/**
 * The name in the storage of this tab. Each tab has its own token, and the token is deleted when
 * the tab is closed.
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

/**
 * Reads the role and the id in a token, and does not check the token. Only the service checks
 * tokens. The page needs the id for its requests.
 */
export function bearerOf(text: string): { role?: string; sub?: string } {
  try {
    const [, payload = ''] = text.split('.');
    return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    return {};
  }
}
