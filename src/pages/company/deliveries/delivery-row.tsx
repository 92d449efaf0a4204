import { useState } from 'hono/jsx/dom';
import { ActButton } from '../../parts/acts/act-button.tsx';
import { ASKING_AGAIN, type Note } from '../../parts/acts/notes.ts';
import type { Attempt } from '../../parts/acts/use-acts.ts';
import { api } from '../../parts/api.ts';
import { timeInWords, When } from '../when.tsx';
import type { Delivery, Status } from './api.ts';
import { Attempts, answerInWords } from './attempts.tsx';

export interface DeliveryRowProps {
  delivery: Delivery;
  attempt: Attempt | undefined;
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

/** The state of a delivery. `now` is the time of the service. */
function stateInWords(
  { status, deliveredAt, nextAttemptAt, attemptCount }: Delivery,
  now: number,
): string {
  if (status === 'delivered') return `Delivered ${timeInWords(deliveredAt ?? '', now)}`;
  if (status === 'failed') return 'Failed for good. No attempt follows.';
  if (nextAttemptAt === null) return 'Waiting';
  const time = timeInWords(nextAttemptAt, now);
  if (Date.parse(nextAttemptAt) > now) return `Waiting. The next attempt is at ${time}.`;
  // No field tells whether an attempt runs, or whether no worker takes the task.
  return attemptCount === 0
    ? `Waiting. Due since ${time}.`
    : `Waiting. The next attempt has been due since ${time}.`;
}
