import type postgres from 'postgres';
import type { Ledger } from '../ledger.ts';
import type { Inbox, Message } from './inbox.ts';
import {
  type EndpointRow,
  type EventRow,
  judgeDelivered,
  judgeMessages,
  judgeTypes,
} from './judge-messages.ts';
import {
  type AnswersRow,
  type AttemptRow,
  judgeAnswers,
  judgeAttempts,
  judgeTrail,
  type TaskRow,
} from './judge-trail.ts';
import { readTrail } from './trail.ts';

interface Audited {
  inbox: Inbox;
  endpoints: EndpointRow[];
  ledger: Ledger;
  /** Whether the run was long enough for messages of all types. */
  isLong: boolean;
}

/**
 * Compares the inbox and the tasks with the events and the trail. Returns the number of attempts
 * that were lost.
 */
export async function auditWorkers(
  sql: postgres.Sql,
  { inbox, endpoints, ledger, isLong }: Audited,
): Promise<number> {
  const [own] = await sql<{ name: string }[]>`SELECT session_user::text AS name`;
  const { findings, ends } = judgeTrail(await readTrail(sql), own?.name ?? '');
  const tasks = await sql<TaskRow[]>`SELECT id::text, attempt, ended FROM tasks`;
  const attempts = await sql<AttemptRow[]>`
    SELECT task_id::text AS "taskId", attempt, ended FROM task_attempts`;
  const events = await sql<EventRow[]>`
    SELECT job_id::text AS "jobId", company_id::text AS "companyId", number, kind,
      recruiter_id::text AS "recruiterId", capacity, claimed
    FROM events`;
  const delivered = await sql<Pick<Message, 'endpoint' | 'id'>[]>`
    SELECT regexp_replace(url, '^.*/', '') AS endpoint, message_id AS id
    FROM webhook_deliveries JOIN webhook_endpoints ON webhook_endpoints.id = endpoint_id
    WHERE delivered_at IS NOT NULL`;
  const answers = await sql<AnswersRow[]>`
    SELECT task_id::text AS "taskId", count(*)::int AS answers
    FROM webhook_deliveries JOIN webhook_attempts ON delivery_id = webhook_deliveries.id
    GROUP BY task_id`;
  const all = [
    ...findings,
    ...judgeAttempts(tasks, attempts, ends),
    ...judgeAnswers(tasks, answers, ends),
    ...inbox.findings,
    ...judgeMessages(inbox.messages, events, endpoints),
    ...(isLong ? judgeTypes(inbox.messages) : []),
    ...judgeDelivered(delivered, inbox),
  ];
  for (const finding of all) ledger.add(finding);
  return [...ends.values()].filter((end) => end === 'lost').length;
}
