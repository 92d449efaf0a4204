import { createStore } from './store.ts';

/** Kept as long as the tab, and by no other one: it opens what its holder may. */
const KEPT_AS = 'rowlock.token';

export const token = createStore(sessionStorage.getItem(KEPT_AS) ?? '');

/** Why the service answers nothing: it wants a token, or a better one. */
export const tokenWanted = createStore(false);

export function presentToken(text: string) {
  sessionStorage.setItem(KEPT_AS, text);
  token.set(text);
  tokenWanted.set(false);
}

/** Whose a token says it is. The service checks it; the page only needs a name to ask with. */
export function bearerOf(text: string): { role?: string; sub?: string } {
  try {
    const [, payload = ''] = text.split('.');
    return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    return {};
  }
}
