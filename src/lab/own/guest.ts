/**
 * A lab with the strategy of a student's file, in a process that the server can end. The server sends
 * the requests about this strategy here.
 */

import { ANYBODY } from '../../http/auth/caller.ts';
import { newRoutes } from '../../http/new-routes.ts';
import { problem } from '../../http/problem.ts';
import { invalidRequest } from '../../http/problems.ts';
import { openLog } from '../../process/log.ts';
import { adopt, findChapter } from '../chapters/index.ts';
import { createLab } from '../http.ts';
import { explain } from '../judge/explain.ts';
import { loadStrategy } from '../judge/load-strategy.ts';
import { openStages } from '../stages/lab-stages.ts';
import { openChannel } from './channel.ts';
import { guardThisProcess } from './guarded.ts';
import { type Asked, type FromGuest, type ToGuest, YOURS } from './messages.ts';

type Lab = ReturnType<typeof newRoutes>;
type Begin = Extract<ToGuest, { kind: 'begin' }>;

const open = new Map<number, AbortController>();
let lab: Lab | undefined;
let closeStages = async () => {};

const channel = openChannel<FromGuest, ToGuest>({ kind: 'beat' });
const { tell } = channel;
channel.onMessage((message) => {
  if (message.kind === 'begin') void begin(message);
  else if (message.kind === 'request')
    void answer(message.asked).finally(() => finish(message.asked));
  else if (message.kind === 'cancel') open.get(message.id)?.abort();
  else void closeStages().finally(() => process.exit());
});

async function begin(order: Begin) {
  const fail = guardThisProcess(order.file, channel);
  try {
    await load(order);
  } catch (error) {
    await fail(explain(error, order.file));
  }
}

async function load({ chapter: name, file, databaseUrl }: Begin) {
  const chapter = findChapter(name);
  if (typeof chapter === 'string') throw new Error(chapter);
  const loaded = await loadStrategy(chapter, file);
  const strategy = { ...loaded.strategy, name: YOURS };
  adopt({ chapter, strategy });
  lab = labOn(databaseUrl, file);
  const { idea, promise } = strategy;
  const situations = chapter
    .situationsOf(strategy)
    .map(({ name, idea, sessions }) => ({ name, idea, ...(sessions && { sessions }) }));
  await tell({ kind: 'ready', told: { idea, promise, situations } });
}

function labOn(databaseUrl: string, file: string): Lab {
  const log = openLog('error');
  const stages = openStages(databaseUrl, log);
  closeStages = stages.close;
  const routes = newRoutes();
  // The server has checked the caller.
  routes.use((c, next) => {
    c.set('caller', ANYBODY);
    return next();
  });
  // Some errors of the file reach no session.
  routes.onError((error) => {
    if ('getResponse' in error) return error.getResponse();
    return problem({ ...invalidRequest, detail: explain(error, file) });
  });
  // The server ends the whole process, so the lab needs no signal to stop.
  routes.route('/lab', createLab({ log, stages, stop: new AbortController().signal }));
  return routes;
}

async function answer({ id, method, path, headers, body }: Asked) {
  const leaving = new AbortController();
  open.set(id, leaving);
  const request = new Request(new URL(path, 'http://localhost'), {
    ...{ method, headers, signal: leaving.signal },
    ...(body !== undefined && { body }),
  });
  const response = await lab?.request(request);
  if (response) await send(id, response, leaving.signal);
}

function finish({ id }: Asked) {
  open.delete(id);
  return tell({ kind: 'end', id });
}

async function send(id: number, response: Response, left: AbortSignal) {
  const { status, headers, body } = response;
  await tell({ kind: 'head', id, status, headers: [...headers] });
  const reader = body?.getReader();
  left.addEventListener('abort', () => void reader?.cancel().catch(() => undefined));
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read())
    await tell({ kind: 'chunk', id, chunk: Buffer.from(next.value).toString('base64') });
}
