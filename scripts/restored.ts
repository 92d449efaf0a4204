import { databaseOfCommand } from '../src/platform/db/alone.ts';
import type { Database } from '../src/platform/db/client.ts';
import { databaseName, unusable } from '../src/platform/db/unusable.ts';
import { flag, runCommand, type Values } from '../src/platform/process/command.ts';
import { PlainError, UsageError } from '../src/platform/process/errors.ts';
import { print } from '../src/platform/process/print.ts';
import { isPaused } from '../src/service/database/installation.ts';
import {
  forget,
  goOn,
  pauseInWords,
  pauseTasks,
  readWaiting,
  type Waiting,
} from '../src/service/operation/restores.ts';
import { databaseUrlOrExplain } from './database-url.ts';

const options = {
  forget: flag('drop the tasks and webhooks from before the pause, and go on'),
  send: flag('go on, and send them all'),
  pause: flag('pause tasks and webhooks now, before a server starts'),
};

const command = {
  name: 'restored',
  purpose:
    'Shows which tasks and webhooks wait in a restored database, and says what to do with them.',
  about: `A restored database would send the webhooks since its backup a second time. So the service
pauses tasks and webhooks when it finds itself in a restored database. Claims work meanwhile.`,
  options,
  notes: 'Without an option it changes nothing. It works on the server at DATABASE_URL.',
};

type Options = Values<typeof options>;

runCommand(command, async (given) => {
  if (Object.values(given).filter(Boolean).length > 1)
    throw new UsageError(
      '--forget, --send and --pause exclude each other. See: npm run restored -- --help',
    );
  const url = databaseUrlOrExplain('restored');
  const { db, close } = databaseOfCommand(url, 'rowlock restored');
  try {
    print(`${await act(db, given)}\n`);
  } catch (error) {
    if (error instanceof UsageError || error instanceof PlainError) throw error;
    throw unusable(databaseName(url), error);
  } finally {
    await close();
  }
  return 0;
});

async function act(db: Database, options: Options): Promise<string> {
  if (options.forget) {
    const dropped = await forget(db);
    return `Dropped ${dropped.tasks} tasks and ${dropped.events} changes without a webhook. Tasks and webhooks go on.`;
  }
  if (options.pause) await pauseTasks(db);
  const waiting = await readWaiting(db);
  if (!options.send)
    return [inWords(waiting), ...(isPaused(waiting.past) ? [CHOICE] : [])].join('\n');
  await goOn(db);
  return `${inWords(waiting)}\nTasks and webhooks go on.`;
}

const CHOICE = 'Go on with --forget, or with --send.';

function inWords({ past, tasks, oldestTask, events, oldestEvent }: Waiting): string {
  const paused = pauseInWords(past);
  return [
    paused ? `Tasks and webhooks are ${paused}.` : 'Nothing is paused.',
    `${tasks} tasks wait${since(oldestTask)}. A webhook that is sent is a task.`,
    `${events} changes of jobs have no webhook yet${since(oldestEvent)}.`,
  ].join('\n');
}

function since(oldest: Date | null): string {
  return oldest ? `, the oldest since ${new Date(oldest).toISOString()}` : '';
}
