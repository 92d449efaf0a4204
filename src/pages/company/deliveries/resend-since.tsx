import { useRef, useState } from 'hono/jsx/dom';
import { ActButton } from '../../parts/acts/act-button.tsx';
import type { PendingAct } from '../../parts/acts/use-acts.ts';

export interface ResendSinceProps {
  /**
   * The word `to` and the endpoint's URL. Screen readers read this text after the label of the
   * button.
   */
  subject: string;
  attempt: PendingAct | undefined;
  onResend(since: Date): void;
}

const WORDS = ['Resend all since then', 'Resending…'] as const;
const HOUR_MS = 3_600_000;

/** Shows a field for a time, and a button that resends all messages since this time. */
export function ResendSince({ subject, attempt, onResend }: ResendSinceProps) {
  const field = useRef<HTMLInputElement>(null);
  const [isWrong, setWrong] = useState(false);
  const [initial] = useState(localTime(new Date(Date.now() - HOUR_MS)));
  const press = () => {
    const since = new Date(field.current?.value ?? '');
    const isTime = !Number.isNaN(since.getTime());
    setWrong(!isTime);
    if (isTime) onResend(since);
    else field.current?.focus();
  };
  return (
    <div class="resend-since">
      <div class="field">
        <label for="since">Since</label>
        <input
          ref={field}
          id="since"
          type="datetime-local"
          min="1970-01-02T00:00"
          value={initial}
          aria-invalid={isWrong ? 'true' : undefined}
          aria-describedby={isWrong ? 'since-wrong' : undefined}
        />
      </div>
      <ActButton act="resend" words={WORDS} {...{ subject, attempt }} onPress={press} />
      {isWrong && (
        <p class="note" id="since-wrong">
          Choose a day and a time.
        </p>
      )}
    </div>
  );
}

/** Returns a time in the format of the field, in the time zone of this browser. */
const localTime = (at: Date): string =>
  new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
