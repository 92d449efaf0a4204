import type { ScriptEnd, SqlRules } from '../../chapter.ts';
import type { Outcome, QueueStrategy } from './strategy.ts';

/** A script takes one task, does it, and finishes it. */
export const sql: SqlRules<QueueStrategy> = {
  names: { worker: 'the name of the worker' },
  commands: {
    send: 'Sends the mail of this task. PostgreSQL knows nothing of the mail, and no rollback takes it back. If the name has no value, nothing is sent.',
  },
  answer:
    'If the script has sent nothing and changed no task, the worker answers “idle”. If the last UPDATE or DELETE ' +
    'of tasks found no row, the worker answers “lost”. Otherwise it answers “done”.',
  strategyOf: (name, run) => ({
    name,
    idea: 'a script of SQL',
    promise: 'once',
    // A script may have a lease. So the explorer always lets time pass.
    timed: true,
    async work(db, worker) {
      let hasSent = false;
      const end = await run(
        db,
        { worker: worker.name },
        {
          send: async (task) => {
            if (task === null) return;
            hasSent = true;
            await worker.send(Number(task));
          },
        },
      );
      return { kind: kindOf(end, hasSent) };
    },
  }),
};

function kindOf({ ran }: ScriptEnd, hasSent: boolean): Outcome['kind'] {
  const changes = ran.filter(
    ({ verb, table }) => table === 'tasks' && (verb === 'update' || verb === 'delete'),
  );
  if (!hasSent && changes.every(({ rows }) => rows === 0)) return 'idle';
  return changes.at(-1)?.rows === 0 ? 'lost' : 'done';
}
