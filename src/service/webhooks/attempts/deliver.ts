import { eq, sql } from 'drizzle-orm';
import type { Database } from '../../../platform/db/client.ts';
import { NOW } from '../../../platform/db/clock.ts';
import type { Attempt, AttemptOutcome, TaskKind } from '../../queue/kind.ts';
import { type Sent, send } from '../send/send.ts';
import { signatureHeaders } from '../send/signature.ts';
import { deliveries, endpoints } from '../tables.ts';
import { recordFailure, recordGone, recordPause, recordSuccess, type Tried } from './record.ts';
import { pauseAfterAttempt, resultOf } from './rules.ts';
import { DELIVERING, type DeliveringPayload } from './task.ts';

/** The time limit of an attempt. A send takes at most 15 s, and the rest is for the database. */
const TIMEOUT_MS = 30_000;

/** Makes the kind of task that delivers a message to an endpoint. */
export const delivering = (
  db: Database,
  { loopback }: { loopback: boolean },
): TaskKind<DeliveringPayload> => {
  const find = messageFinder(db);
  return {
    name: DELIVERING,
    timeoutMs: TIMEOUT_MS,
    pauseMs: pauseAfterAttempt,
    run: (attempt) => deliver(find, loopback, attempt),
  };
};

/**
 * Sends a message to the current address of its endpoint, signed with the current secrets. The
 * attempt is recorded in the transaction of its outcome. So an attempt that has lost its task
 * records nothing.
 */
async function deliver(
  find: ReturnType<typeof messageFinder>,
  loopback: boolean,
  attempt: Attempt<DeliveringPayload>,
): Promise<AttemptOutcome> {
  const message = await find(attempt.payload.deliveryId);
  // The endpoint was deleted, or the cleanup has removed the delivery.
  if (!message) return { kind: 'done' };
  if (!message.enabled) return notSent({ ...message, milliseconds: 0, status: null });
  const { url, body } = message;
  const headers = signatureHeaders(message);
  const began = performance.now();
  // No other work may come between this check and the sending. A sent message cannot be taken back.
  attempt.assertHeld();
  const sent = await send({ url, headers, body, loopback }, attempt.signal);
  const milliseconds = Math.round(performance.now() - began);
  return outcomeOf(sent, { ...message, milliseconds, ...answerIn(sent) }, attempt);
}

/**
 * Ends the task as done, although the message is not delivered. A dead task would ask an operator
 * for help, but an operator cannot help here.
 */
const notSent = (tried: Omit<Tried, 'detail'>): AttemptOutcome => ({
  kind: 'done',
  also: recordFailure({ ...tried, detail: 'The endpoint is disabled, so nothing was sent.' }),
});

const answerIn = (sent: Sent) =>
  sent.kind === 'answered'
    ? { status: sent.status, detail: sent.firstLine }
    : { status: null, detail: sent.reason };

function outcomeOf(sent: Sent, tried: Tried, attempt: Attempt): AttemptOutcome {
  const result = resultOf(sent);
  switch (result.kind) {
    case 'delivered':
      return { kind: 'done', also: recordSuccess(tried) };
    case 'gone':
      return { kind: 'done', also: recordGone(tried) };
    case 'failed': {
      const { atLeastMs } = result;
      const also = atLeastMs > 0 ? recordPause(tried, atLeastMs) : recordFailure(tried);
      // The delivery has failed for good. Its company sees the failure. No operator can repair the
      // receiver, so the task is done and not dead.
      if (attempt.attemptsLeft <= 0) return { kind: 'done', also };
      // Admins can read the error of a task. Only the owner of the endpoint may read the answer.
      const error =
        sent.kind === 'answered' ? `The receiver answered ${sent.status}.` : sent.reason;
      return { kind: 'failed', error, pauseMs: pauseAfterAttempt(attempt), also };
    }
  }
}

/**
 * Makes a function that finds a message with the endpoint's current address and secrets. The field
 * `at` is the current time of the database. The text of the statement is made once.
 */
function messageFinder(db: Database) {
  const at = sql<Date>`${NOW}`.mapWith(deliveries.createdAt);
  const statement = db
    .select({
      deliveryId: deliveries.id,
      id: deliveries.messageId,
      body: deliveries.body,
      endpointId: endpoints.id,
      url: endpoints.url,
      enabled: endpoints.enabled,
      secret: endpoints.secret,
      oldSecret: sql<string | null>`case
        when ${endpoints.oldSecretUntil} > ${NOW} then ${endpoints.oldSecret} end`,
      at,
    })
    .from(deliveries)
    .innerJoin(endpoints, eq(endpoints.id, deliveries.endpointId))
    .where(eq(deliveries.id, sql.placeholder('id')))
    .prepare('find_message');
  return async (id: string) => {
    const [row] = await statement.execute({ id });
    if (!row) return undefined;
    const { secret, oldSecret, ...message } = row;
    return { ...message, secrets: oldSecret === null ? [secret] : [secret, oldSecret] };
  };
}
