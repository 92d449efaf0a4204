import { useRef } from 'hono/jsx/dom';
import { useStore } from './store.ts';
import { presentToken, token } from './token.ts';

/** Says that the service wants to know who asks, and takes a token to show the `jobs` or the `lab`. */
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
          ? 'The service does not take this token, or no longer. '
          : `This service shows its ${what} to those it knows. `}
        Paste the token that you were given: it stays in this tab, and is forgotten when you close
        it.
      </p>
      <label for="token">Token</label>
      <input ref={field} id="token" type="password" autocomplete="off" required />
      <button type="submit" class="primary">
        Show the {what}
      </button>
    </form>
  );
}
