import { useRef } from 'hono/jsx/dom';
import { useStore } from './store.ts';
import { presentToken, token } from './token.ts';

/**
 * Says that the service needs a token, and shows a field for the token. `what` names the content of
 * the page: `jobs`, `endpoints` or `lab`.
 */
export function TokenForm({ what }: { what: string }) {
  const wasRefused = useStore(token) !== '';
  const field = useRef<HTMLInputElement>(null);
  return (
    <form
      class="token-form"
      onSubmit={(event: Event) => {
        event.preventDefault();
        presentToken(field.current?.value.trim() ?? '');
      }}
    >
      <h1>Who is there?</h1>
      <p>
        {wasRefused
          ? 'The service does not accept this token, or no longer accepts it. '
          : `This service shows its ${what} only with a token. `}
        Paste the token that you were given. It stays in this tab, and is forgotten when you close
        the tab.
      </p>
      <label for="token">Token</label>
      <input ref={field} id="token" type="password" autocomplete="off" required />
      <button type="submit" class="primary">
        Show the {what}
      </button>
    </form>
  );
}
