import type postgres from 'postgres';
import type { TaskEnd } from '../../../src/service/queue/tables.ts';

/** The parts of a task's row that its workers change. */
export interface TaskState {
  attempt: number;
  attemptsLeft: number;
  isLeased: boolean;
  ended: TaskEnd | null;
}

/** One committed change of a task's row. */
export interface Change {
  taskId: string;
  /** The database account that made the change. Each worker process has a separate account. */
  by: string;
  before: TaskState;
  after: TaskState;
  /** Whether the lease in `before` was still valid when the statement began. */
  wasHeld: boolean;
}

/**
 * Makes PostgreSQL record every change of a task. Workers write the columns that name the worker of
 * a task, so the trail does not rely on these columns. The trail records the account of the
 * session. No worker can change this account.
 */
export async function layTrail(sql: postgres.Sql) {
  await sql`
    CREATE TABLE fault_trail (
      number bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
      task_id bigint NOT NULL,
      by text NOT NULL,
      before jsonb NOT NULL,
      after jsonb NOT NULL,
      was_held boolean NOT NULL)`;
  await sql`
    CREATE FUNCTION fault_state(task tasks) RETURNS jsonb LANGUAGE sql STABLE AS $$
      SELECT jsonb_build_object('attempt', task.attempt, 'attemptsLeft', task.attempts_left,
        'isLeased', task.lease_until IS NOT NULL AND task.finished_at IS NULL, 'ended', task.ended)
    $$`;
  await sql`
    CREATE FUNCTION follow_trail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO fault_trail (task_id, by, before, after, was_held)
      VALUES (NEW.id, session_user, fault_state(OLD), fault_state(NEW),
        coalesce(OLD.lease_until > statement_timestamp(), false));
      RETURN NULL;
    END $$`;
  await sql`
    CREATE TRIGGER follow_trail AFTER UPDATE ON tasks FOR EACH ROW EXECUTE FUNCTION follow_trail()`;
}

/** Reads the changes of all tasks. The changes of one task are in the order of their commits. */
export const readTrail = (sql: postgres.Sql) => sql<Change[]>`
  SELECT task_id::text AS "taskId", by, before, after, was_held AS "wasHeld"
  FROM fault_trail ORDER BY number`;
