import { sql } from 'drizzle-orm';
import type { QueueStrategy } from '../strategy.ts';
import { outbox, tasks } from '../tables.ts';

/**
 * One statement writes the mail of a task, unless the task has a mail already. The statement does
 * not see a mail that another transaction has not committed yet, and no unique index stops the
 * second mail.
 *
 * Published bug: Knex first read the row of its migration lock, and wrote the row if there was
 * none. Two processes that started at the same time wrote two rows, and then no process got the
 * lock any more. Version 0.95.12 wrote the row with one statement like ours, to mend the bug:
 * https://github.com/knex/knex/pull/4694
 * A study still found two rows after two such statements at the same time:
 * https://github.com/pavangupta352/interleave/blob/main/docs/case-studies.md
 * Our model: the row is the mail of a task. The task counts as done when the mail is written.
 * Counterexample (calm): S1 writes the mail and has not committed. S2 sees no mail and writes a
 * mail too.
 */
export const insertUnlessExists: QueueStrategy = {
  name: 'insert-unless-exists',
  idea: 'write the mail in one statement, unless it is written',
  promise: 'nothing',
  async work(db) {
    // THE GAP: an uncommitted mail of another worker is invisible here.
    const written = await db.execute(sql`
      insert into ${outbox} (task_id)
      select id from ${tasks}
      where not exists (select from ${outbox} where task_id = ${tasks.id})
      order by id limit 1
      returning task_id`);
    return { kind: written.length > 0 ? 'done' : 'idle' };
  },
};
