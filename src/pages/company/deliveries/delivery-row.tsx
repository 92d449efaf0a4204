import { useState } from 'hono/jsx/dom';
import { ActButton } from '../../parts/acts/act-button.tsx';
import { ASKING_AGAIN, type Note } from '../../parts/acts/notes.ts';
import type { PendingAct } from '../../parts/acts/use-acts.ts';
import { api } from '../../parts/api.ts';
import { useAgain } from '../use-again.ts';
import { timeInWords, When } from '../when.tsx';
import { type Attempted, type Delivery, readDelivery, type Status } from './api.ts';

export interface DeliveryRowProps {
  delivery: Delivery;
  attempt: PendingAct | undefined;
  note: Note | undefined;
  onResend(): void;
}

const RESEND = ['Resend', 'Resending…'] as const;

const tones = {
  waiting: 'wait',
  delivered: 'good',
  failed: 'bad',
} as const satisfies Record<Status, string>;

export function DeliveryRow({ delivery, attempt, note, onResend }: DeliveryRowProps) {
  const [isOpen, setOpen] = useState(false);
  const { type, job, status, createdAt, lastAttempt } = delivery;
  const subject = subjectOf(delivery);
  return (
    <li class="delivery">
      <div class="delivery-head">
        <h4>{type}</h4>
        <span class="muted">
          <When at={createdAt} />
        </span>
      </div>
      {job && <p class="answer">{job.role}</p>}
      <p class={`state-words ${tones[status]}`}>{stateInWords(delivery, api.now())}</p>
      {status !== 'delivered' && lastAttempt && <p class="answer">{answerInWords(lastAttempt)}</p>}
      <div class="buttons">
        <button
          type="button"
          class="fold"
          aria-expanded={isOpen ? 'true' : 'false'}
          onClick={() => setOpen(!isOpen)}
        >
          {attemptsInWords(delivery)}
          <span class="unseen"> of {subject}</span>
        </button>
        <ActButton
          act="resend"
          words={RESEND}
          subject={subject}
          attempt={attempt}
          onPress={onResend}
        />
      </div>
      <p class={note?.isGood ? 'note good' : 'note'}>
        {attempt?.isAgain ? ASKING_AGAIN : note?.text}
      </p>
      {isOpen && <Attempts delivery={delivery} />}
    </li>
  );
}

export const subjectOf = ({ type, job, createdAt }: Delivery): string =>
  [type, job?.role, timeInWords(createdAt, api.now())].filter(Boolean).join(', ');

const attemptsInWords = ({ status, attemptCount: count }: Delivery): string => {
  // An operator may cancel the task during the first attempt. Such an attempt is not recorded.
  if (count === 0) return status === 'failed' ? 'No attempt has ended' : 'No attempt yet';
  return count === 1 ? '1 attempt' : `${count} attempts`;
};

/** Puts the state of a delivery into words. `now` is the current time by the service's clock. */
function stateInWords(
  { status, deliveredAt, nextAttemptAt, attemptCount }: Delivery,
  now: number,
): string {
  if (status === 'delivered') return `Delivered ${timeInWords(deliveredAt ?? '', now)}`;
  if (status === 'failed') return 'Failed for good. No attempt follows.';
  if (nextAttemptAt === null) return 'Waiting';
  const time = timeInWords(nextAttemptAt, now);
  if (Date.parse(nextAttemptAt) > now) return `Waiting. The next attempt is at ${time}.`;
  // The next attempt is due. No field says whether it runs now, or still waits for a worker.
  return attemptCount === 0
    ? `Waiting. Due since ${time}.`
    : `Waiting. The next attempt has been due since ${time}.`;
}

/** Shows all attempts of a delivery, and the message itself. */
function Attempts({ delivery: { id, messageId } }: { delivery: Delivery }) {
  const { value, trouble } = useAgain(String(id), (options) => readDelivery(id, options));
  return (
    <div class="attempts">
      {trouble && <p class="note">{trouble}</p>}
      {!value && !trouble && <p class="muted">Loading…</p>}
      {value && (
        <>
          <p class="muted">
            Message <code>{messageId}</code>, made <When at={value.createdAt} />
          </p>
          {value.attempts.length === 0 && <p class="muted">There was no attempt yet.</p>}
          <ol>
            {value.attempts.map((attempt) => (
              <li key={attempt.at}>
                <When at={attempt.at} />, {attempt.milliseconds} ms: {answerInWords(attempt)}
              </li>
            ))}
          </ol>
          <pre>{indented(value.body)}</pre>
        </>
      )}
    </div>
  );
}

/** Returns the status and the first line of the answer, or the reason why no answer came. */
const answerInWords = ({ status, detail }: Attempted): string =>
  status === null ? detail : [`The receiver answered ${status}`, detail].filter(Boolean).join(': ');

const indented = (json: string): string => JSON.stringify(JSON.parse(json), null, 2);
