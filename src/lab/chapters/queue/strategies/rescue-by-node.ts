import { sql } from 'drizzle-orm';
import { finish } from '../finish.ts';
import type { QueueStrategy } from '../strategy.ts';
import { nodes, tasks } from '../tables.ts';

/**
 * Takes a task that is due, or whose node is not seen any more. But a node that starts again is
 * seen under its old name. So the tasks from before its death look as if the node still did them.
 *
 * Published report on Oban Pro 0.13.1: by default a node had the name of its host. If a node was
 * started again, the tasks that it was running stayed `executing`, and nobody rescued them. With a
 * new name for each start, the tasks were rescued: https://github.com/oban-bg/oban/issues/862
 * An author of Oban doubted the description. The code of Oban Pro is not public.
 * Our model follows the report. Each worker is a node. The statement that claims a task also
 * records that the node lives. The worker takes back only the tasks of nodes that are not seen.
 * Counterexample (alone): S1 takes task 1 and dies. A worker of the same name starts. Nobody takes
 * the task.
 */
export const rescueByNode: QueueStrategy = {
  name: 'rescue-by-node',
  idea: 'take back the tasks of nodes that are not seen any more',
  promise: 'nothing',
  async work(db, { name, send }) {
    // THE GAP: a dead worker of the same name looks alive.
    const [task] = await db.execute<{ id: number }>(sql`
      with seen as (
        insert into ${nodes} values (${name}, now() + interval '1 minute')
        on conflict (name) do update set seen_until = excluded.seen_until
      ),
      alive as (select name from ${nodes} where seen_until >= now() union select ${name})
      update ${tasks} set status = 'running', worker = ${name}
      where id = (
        select id from ${tasks}
        where status = 'due' or status = 'running' and worker not in (select name from alive)
        order by id limit 1 for update skip locked
      )
      returning id`);
    if (!task) return { kind: 'idle' };
    await send(task.id, { id: task.id });
    await finish(db, task.id);
    return { kind: 'done' };
  },
};
