import type { Context } from 'hono';
import { headOfEvents, streamEvents } from '../../http/event-stream.ts';
import { type Env, newRoutes } from '../../http/new-routes.ts';
import { problem } from '../../http/problem.ts';
import { invalidRequest, methodNotAllowed } from '../../http/problems.ts';
import { readSyllabus } from '../syllabus/syllabus.ts';
import type { Host } from './host.ts';
import { YOURS } from './messages.ts';

/** A request can name the strategy in these fields of its body. */
interface Naming {
  strategy?: unknown;
  strategies?: unknown;
}

/** The student's strategy or program among the strategies of the lab. These routes come first. */
export function ownRoutes(host: Host) {
  const address = `${host.chapter}/${YOURS}`;
  const isOurs = (name: unknown) => name === address || name === YOURS;
  /** The races over HTTP that the guest runs. */
  const races = new Set<string>();
  const routes = newRoutes();
  const one = async (c: Context<Env>) => c.json({ ...host.entry, sources: await host.sources() });
  routes.get('/chapters', (c) => c.json(host.chapters));
  routes.get('/strategies', (c) => c.json([...readSyllabus(), host.entry]));
  routes.get(`/strategies/${YOURS}`, one);
  routes.get(`/strategies/${address}`, one);
  routes.get('/own', (c) =>
    c.req.method === 'HEAD' ? headOfEvents(c) : streamEvents(c, host.listen()),
  );
  routes.all('/own', () => methodNotAllowed('GET, HEAD'));
  const concernsUs = async (c: Context<Env>): Promise<boolean> => {
    const [, race] = /\/races\/([^/]+)/.exec(c.req.path) ?? [];
    if (race !== undefined) return races.has(race);
    if (isReading(c)) return isOurs(c.req.query('strategy'));
    if (!NAMING.test(c.req.path)) return false;
    const body: Naming = (await c.req.json().catch(() => undefined)) ?? {};
    const { strategy, strategies } = body;
    return isOurs(strategy) || (Array.isArray(strategies) && strategies.some(isOurs));
  };
  routes.use(async (c, next) => {
    if (!(await concernsUs(c))) return next();
    if (host.isProgram && RACING.test(c.req.path)) return problem(noRace);
    try {
      const answer = await forward(host, c);
      const race = answer.headers.get('Location')?.split('/').at(-1);
      if (race) keep(races, race);
      return answer;
    } catch (error) {
      return problem({ ...invalidRequest, detail: (error as Error).message });
    }
  });
  return routes;
}

/** A race in the browser shows each statement, and only a strategy in TypeScript tells them. */
const RACING = /\/(rounds|races)$/;
const noRace = {
  ...invalidRequest,
  detail: 'A program has no race in the browser. npm run race-demo races a program.',
};

/** Far more races than can be open at once. The oldest of so many have ended. */
const MOST_RACES = 1_000;

/** Adds a race. Forgets the oldest race if there are too many. */
function keep(races: Set<string>, race: string) {
  races.add(race);
  const [oldest = ''] = races;
  if (races.size > MOST_RACES) races.delete(oldest);
}

/** The addresses to which a body with a strategy is sent. */
const NAMING = /\/(plays|rounds|races)$/;

const isReading = ({ req }: Context<Env>) => ['GET', 'HEAD'].includes(req.method);

async function forward(host: Host, c: Context<Env>): Promise<Response> {
  const { method, url, raw } = c.req;
  const { pathname, search } = new URL(url);
  const body = method === 'POST' ? await c.req.text() : undefined;
  const headers = [...raw.headers];
  return host.ask({ method, path: pathname + search, headers, body }, raw.signal);
}
