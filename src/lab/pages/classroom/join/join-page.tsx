import { useRef, useState } from 'hono/jsx/dom';
import { serviceUrl } from '../../../../pages/parts/api.ts';
import type { LONGEST_NAME as Longest } from '../../../classroom/names.ts';

/** The compiler checks that the room has the same number. */
const LONGEST_NAME: typeof Longest = 24;

/**
 * The code of the room. After a phone has scanned the QR code, the fragment of the address is the
 * code.
 */
const scanned = location.hash.slice(1);
/** The name in the header of a student who has joined before. Empty for other visitors. */
const known = document.querySelector('.header .student')?.textContent ?? '';

/** Asks for the code and a name. A student who has joined before only changes the name. */
export function JoinPage() {
  const code = useRef<HTMLInputElement>(null);
  const name = useRef<HTMLInputElement>(null);
  const [trouble, setTrouble] = useState('');
  const [isJoining, setJoining] = useState(false);
  const join = async () => {
    setJoining(true);
    setTrouble('');
    const refusal = await send(code.current?.value ?? '', name.current?.value ?? '');
    if (refusal === undefined) location.assign('./lab');
    else setTrouble(refusal);
    setJoining(refusal === undefined);
  };
  return (
    <form
      class="join"
      onSubmit={(event: Event) => {
        event.preventDefault();
        if (!isJoining) void join();
      }}
    >
      <h1>{known ? 'Change your name' : 'Join the room'}</h1>
      {!known && (
        <label>
          Code
          <input
            ref={code}
            class="code"
            value={scanned}
            required
            maxLength={12}
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
          />
        </label>
      )}
      <label>
        Your name
        <input
          ref={name}
          value={known}
          required
          maxLength={LONGEST_NAME}
          autocomplete="nickname"
          autofocus={scanned !== ''}
        />
      </label>
      <p class="hint">Your teacher sees this name, and where you are in the lessons.</p>
      <button type="submit" class="primary" aria-disabled={isJoining ? 'true' : undefined}>
        {known ? 'Keep this name' : 'Join'}
      </button>
      <p class="trouble" role="alert">
        {trouble}
      </p>
    </form>
  );
}

/** Asks the room to let the student in. If the room refuses, returns words for a person. */
async function send(code: string, name: string): Promise<string | undefined> {
  try {
    const answer = await fetch(`${serviceUrl}join`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code, name }),
    });
    if (answer.ok) return undefined;
    const { detail } = (await answer.json()) as { detail: string };
    return /^name /.test(detail) ? `Type a name of 1 to ${LONGEST_NAME} characters.` : detail;
  } catch {
    return 'The room does not answer. Are you in the same network?';
  }
}
