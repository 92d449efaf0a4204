import { useAgain } from '../use-again.ts';
import { When } from '../when.tsx';
import { type Attempted, type Delivery, readDelivery } from './api.ts';

/** All attempts of a delivery, and the message itself. */
export function Attempts({ delivery: { id, messageId } }: { delivery: Delivery }) {
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

/** The status and the first line of the answer, or the reason why no answer came. */
export const answerInWords = ({ status, detail }: Attempted): string =>
  status === null ? detail : [`The receiver answered ${status}`, detail].filter(Boolean).join(': ');

const indented = (json: string): string => JSON.stringify(JSON.parse(json), null, 2);
