import { z } from 'zod';
import { databaseAlone } from '../src/db/alone.ts';
import { databaseName, unusable } from '../src/db/unusable.ts';
import { forget, goOn, pauseTasks, readWaiting, type Waiting } from '../src/operation/restores.ts';
import { PlainError, UsageError } from '../src/process/errors.ts';
import { runMain } from '../src/process/main.ts';
import { readOptions } from '../src/process/options.ts';
import { print } from '../src/process/print.ts';
import { databaseUrlOrExplain } from './database-url.ts';

const HELP = `Shows which tasks and webhooks wait in a restored database, and says what to do with them.

Usage: npm run restored [-- OPTION]

A restored database would send the webhooks since its backup a second time. So the service
pauses tasks and webhooks when it finds itself in a restored database. Claims work meanwhile.

  --forget           drop the tasks and webhooks from before the pause, and go on
  --send             go on, and send them all
  --pause            pause tasks and webhooks now, before a server starts
  --help             show this

Without an option it changes nothing. It works on the server at DATABASE_URL.
`;

const rules = z
  .object({
    forget: z.boolean().default(false),
    send: z.boolean().default(false),
    pause: z.boolean().default(false),
    help: z.boolean().default(false),
  })
  .refine(({ forget, send, pause }) => Number(forget) + Number(send) + Number(pause) < 2, {
    error: '--forget, --send and --pause exclude each other',
  });

type Options = z.infer<typeof rules>;

runMain(async () => {
  const flag = { type: 'boolean' } as const;
  const { options } = readOptions('restored', rules, {
    options: { forget: flag, send: flag, pause: flag, help: flag },
  });
  if (options.help) {
    print(HELP);
    return 0;
  }
  const url = databaseUrlOrExplain('restored');
  const { db, close } = databaseAlone(url, { application_name: 'rowlock restored' });
  try {
    print(`${await act(db, options)}\n`);
  } catch (error) {
    if (error instanceof UsageError || error instanceof PlainError) throw error;
    throw unusable(databaseName(url), error);
  } finally {
    await close();
  }
  return 0;
});

async function act(db: ReturnType<typeof databaseAlone>['db'], options: Options): Promise<string> {
  if (options.forget) {
    const dropped = await forget(db);
    return `Dropped ${dropped.tasks} tasks and ${dropped.events} changes without a webhook. Tasks and webhooks go on.`;
  }
  if (options.pause) {
    await pauseTasks(db);
    return `Tasks and webhooks are paused.\n${inWords(await readWaiting(db))}`;
  }
  const waiting = inWords(await readWaiting(db));
  if (!options.send) return waiting;
  await goOn(db);
  return `${waiting}\nTasks and webhooks go on.`;
}

function inWords({ pausedAt, tasks, oldestTask, events, oldestEvent }: Waiting): string {
  return [
    pausedAt ? `Paused since ${pausedAt.toISOString()}.` : 'Nothing is paused.',
    `${tasks} tasks wait${since(oldestTask)}. A webhook that is sent is a task.`,
    `${events} changes of jobs have no webhook yet${since(oldestEvent)}.`,
    ...(pausedAt ? ['Go on with --forget, or with --send.'] : []),
  ].join('\n');
}

function since(oldest: Date | null): string {
  return oldest ? `, the oldest since ${new Date(oldest).toISOString()}` : '';
}
