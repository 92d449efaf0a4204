import type { Context } from 'hono';
import { headOfEvents, streamEvents } from '../../service/http/event-stream.ts';
import { type Env, newRoutes } from '../../service/http/new-routes.ts';
import { problem } from '../../service/http/problem.ts';
import { invalidRequest, methodNotAllowed } from '../../service/http/problems.ts';
import { readSyllabus } from '../syllabus/syllabus.ts';
import type { Host } from './host.ts';
import { YOURS } from './messages.ts';

/** A request can name the strategy in these fields of its body. */
interface Naming {
  strategy?: unknown;
  strategies?: unknown;
}

/**
 * Makes the routes that show the student's strategy or program among the strategies of the lab.
 * These routes must come before the routes of the lab.
 */
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

/**
 * The addresses of races. A race in the browser shows each statement, but a program reports no
 * statements.
 */
const RACING = /\/(rounds|races)$/;
const noRace = {
  ...invalidRequest,
  detail: 'A program has no race in the browser. npm run race-demo races a program.',
};

/** The maximum number of known races. Far fewer races can be open at the same time. */
const MOST_RACES = 1_000;

/** Adds a race. Forgets the oldest race if there are too many. */
function keep(races: Set<string>, race: string) {
  races.add(race);
  const [oldest = ''] = races;
  if (races.size > MOST_RACES) races.delete(oldest);
}

/** The addresses whose requests name a strategy in the body. */
const NAMING = /\/(plays|rounds|races)$/;

const isReading = ({ req }: Context<Env>) => ['GET', 'HEAD'].includes(req.method);

async function forward(host: Host, c: Context<Env>): Promise<Response> {
  const { method, url, raw } = c.req;
  const { pathname, search } = new URL(url);
  const body = method === 'POST' ? await c.req.text() : undefined;
  const headers = [...raw.headers];
  return host.ask({ method, path: pathname + search, headers, body }, raw.signal);
}
