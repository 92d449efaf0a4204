/**
 * Runs a lab in a process that the server can end. The lab has the strategy of a student's file, or
 * a student's program. The server sends the requests about this strategy here.
 */

import { openLog } from '../../platform/process/log.ts';
import { ANYBODY } from '../../service/http/auth/caller.ts';
import { newRoutes } from '../../service/http/new-routes.ts';
import { problem } from '../../service/http/problem.ts';
import { invalidRequest } from '../../service/http/problems.ts';
import { adopt } from '../chapters/index.ts';
import { createLab } from '../http.ts';
import { explain } from '../judge/explain.ts';
import { loadStrategy } from '../judge/load-strategy.ts';
import { type LabStages, openStages } from '../stages/lab-stages.ts';
import { tellChapter } from '../syllabus/http.ts';
import { openChannel } from './channel.ts';
import { guardThisProcess } from './guarded.ts';
import { type Asked, type FromGuest, type ToGuest, YOURS } from './messages.ts';
import { chapterOf, nameOf, type Own } from './own.ts';
import { openProgramLab, type ProgramLab } from './program-lab.ts';

type Lab = ReturnType<typeof newRoutes>;
type Begin = Extract<ToGuest, { kind: 'begin' }>;

const asked = new Map<number, AbortController>();
const log = openLog('error');
let lab: Lab | undefined;
let closeStages = async () => {};
let loading: Promise<unknown> = Promise.resolve();
const stopping = new AbortController();

const channel = openChannel<FromGuest, ToGuest>({ kind: 'beat' });
const { tell } = channel;
channel.onMessage((message) => {
  if (message.kind === 'begin') loading = begin(message);
  else if (message.kind === 'request')
    void answer(message.asked).finally(() => finish(message.asked));
  else if (message.kind === 'cancel') asked.get(message.id)?.abort();
  else void stop();
});

async function stop() {
  stopping.abort();
  await loading;
  await closeStages().finally(() => process.exit());
}

async function begin({ own, databaseUrl }: Begin) {
  const name = nameOf(own);
  const fail = guardThisProcess(name, channel);
  try {
    const { chapter, strategy, stages } = await open(own, databaseUrl);
    closeStages = stages.close;
    adopt({ chapter, strategy });
    lab = labOn(stages, name);
    const { idea, promise } = strategy;
    const situations = chapter
      .situationsOf(strategy)
      .map(({ name, idea, sessions }) => ({ name, idea, ...(sessions && { sessions }) }));
    await tell({
      kind: 'ready',
      told: { chapter: tellChapter(chapter), idea, promise, situations },
    });
  } catch (error) {
    await fail(explain(error, name));
  }
}

async function open(own: Own, databaseUrl: string): Promise<ProgramLab> {
  if ('program' in own) return openProgramLab(own, databaseUrl, log, stopping.signal);
  const { chapter, strategy } = await loadStrategy(chapterOf(own), own.file);
  const stages = openStages(databaseUrl, log);
  return { chapter, strategy: { ...strategy, name: YOURS }, stages };
}

function labOn(stages: LabStages, name: string): Lab {
  const routes = newRoutes();
  // The server has checked the caller.
  routes.use((c, next) => {
    c.set('caller', ANYBODY);
    return next();
  });
  // Most errors of the student's code become the ending of a session. Other errors come here.
  routes.onError((error) => {
    if ('getResponse' in error) return error.getResponse();
    return problem({ ...invalidRequest, detail: explain(error, name) });
  });
  // The server ends the whole process, so the lab needs no signal to stop.
  routes.route('/lab', createLab({ log, stages, stop: new AbortController().signal }));
  return routes;
}

async function answer({ id, method, path, headers, body }: Asked) {
  const leaving = new AbortController();
  asked.set(id, leaving);
  const request = new Request(new URL(path, 'http://localhost'), {
    ...{ method, headers, signal: leaving.signal },
    ...(body !== undefined && { body }),
  });
  const response = await lab?.request(request);
  if (response) await send(id, response, leaving.signal);
}

function finish({ id }: Asked) {
  asked.delete(id);
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
