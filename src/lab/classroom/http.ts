import { METHODS } from 'node:http';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import type { Log } from '../../platform/process/log.ts';
import { nameIn } from '../../service/http/edge/cross-site.ts';
import {
  BODY_LIMIT_BYTES,
  complete,
  limitRate,
  refuseCrossSite,
} from '../../service/http/edge/http.ts';
import { headOfEvents, streamEvents } from '../../service/http/event-stream.ts';
import { type Env, type Guard, guardedBy, newRoutes } from '../../service/http/new-routes.ts';
import { answerOtherwise } from '../../service/http/otherwise.ts';
import { problem, RETRY_AFTER } from '../../service/http/problem.ts';
import {
  bodyTooLarge,
  busy,
  crossSiteRefused,
  invalid,
  invalidRequest,
  methodNotAllowed,
  notJson,
  shuttingDown,
} from '../../service/http/problems.ts';
import { explorationRoutes } from '../explorations/http.ts';
import type { Judged } from '../lessons/attempt-strategy.ts';
import { lessonRoutes } from '../lessons/http.ts';
import { playRoutes } from '../play/http.ts';
import { roundRoutes } from '../race/rounds/http.ts';
import { sandboxRoutes } from '../sandbox/http.ts';
import { PLACES } from '../sandbox/sandbox.ts';
import { scriptRoutes } from '../sql/http.ts';
import type { LabStages } from '../stages/lab-stages.ts';
import { syllabusRoutes } from '../syllabus/http.ts';
import type { OpenRequests } from './at-once-http.ts';
import type { Boards } from './boards.ts';
import { doorRoutes, noteStudent, numberOf, studentOf, studentsOnly } from './door-http.ts';
import { CLASS_TURNS, EXPLORATION_MS } from './fairness.ts';
import type { Guesses } from './guesses.ts';
import type { PaceMaker } from './pace.ts';
import { joinFirst } from './problems.ts';
import { type Roll, STEPS } from './roll.ts';
import { type TeacherDeps, teacherRoutes } from './teacher-http.ts';
import type { WrongAnswers } from './wrong-answers.ts';

export interface RoomDeps {
  code: string;
  roll: Roll;
  pace: PaceMaker;
  wrongAnswers: WrongAnswers;
  boards: Boards;
  stages: LabStages;
  requests: OpenRequests;
  teacher: TeacherDeps;
  log: Log;
  /** Aborted when the room ends. */
  stop: AbortSignal;
  /** The names under which the room answers. */
  names: ReadonlySet<string>;
  guesses?: Guesses | undefined;
  makePages: MakePages;
}

/** Makes the pages of a room. They show the student's name, which is empty for a stranger. */
export type MakePages = (nameOf: (c: Context) => string) => RoomPages;

interface RoomPages {
  /** The pages for everybody: the page to join, the teacher's page and the files of the pages. */
  open: ReturnType<typeof newRoutes>;
  ofStudents: ReturnType<typeof newRoutes>;
}

const WITH_BODY = METHODS.filter((method) => !['GET', 'HEAD'].includes(method));
/** The limit for one student. Nobody clicks ten times a second for a whole minute. */
const REQUESTS_A_MINUTE = 600;

/**
 * Makes the routes of a room. Everybody gets the page to join and the teacher's page. Students get
 * the lessons, the lab and their board. A room does not have the other routes of the service, so no
 * mistake in a guard can open them.
 */
export function createRoom(deps: RoomDeps) {
  const { roll, boards, stages, log, stop, names, requests, pace, wrongAnswers } = deps;
  const app = newRoutes();
  app.use(complete(() => undefined));
  app.on(
    WITH_BODY,
    '*',
    bodyLimit({ maxSize: BODY_LIMIT_BYTES, onError: () => problem(bodyTooLarge) }),
  );
  app.use(guardedBy(underOwnNames(names), refuseCrossSite([])));
  const rate = limitRate(REQUESTS_A_MINUTE, (c) => c.get('caller') === undefined);
  // A student who has joined can change the name here, so this request counts for the limit too.
  app.on('POST', '/join', guardedBy(noteStudent(roll)), rate);
  app.route('/', doorRoutes(deps));
  app.route('/', teacherRoutes(deps.teacher));
  const pages = deps.makePages((c) => studentOf(c, roll)?.name ?? '');
  app.route('/', pages.open);

  app.use(
    guardedBy(studentsOnly(roll)),
    // `bound` comes directly after the guard. So the teacher can end every request of a student who
    // is removed.
    requests.bound(),
    rate,
  );
  app.route('/', pages.ofStudents);
  app.route('/lab/classroom', progressRoutes(roll, pace));
  app.route('/lab/classroom', paceRoutes(roll, pace));
  for (const path of ['/lab/lessons', '/lab/strategies', '/lab/chapters'])
    app.use(path, sameForAll());
  app.route('/lab', lessonRoutes());
  app.route('/lab', syllabusRoutes());
  const fair = { log, stop, turns: CLASS_TURNS };
  app.route(
    '/lab',
    explorationRoutes(
      { ...fair, stages: stages.explorations, forKnown: stages.plays, mostMs: EXPLORATION_MS },
      [],
    ),
  );
  app.route(
    '/lab',
    roundRoutes({ ...fair, stages: stages.rounds, turns: ONE_RACE, isShared: true }),
  );
  app.route('/lab', playRoutes(stages.plays));
  app.all('/lab/plays', () => methodNotAllowed('POST'));
  app.route('/lab', sandboxRoutes({ ...fair, boxes: stages.boxes, turns: BOXES }));
  app.route(
    '/lab',
    scriptRoutes({
      ...fair,
      boxes: stages.lessonBoxes,
      onResult(caller, { lesson: { number }, text }, result) {
        const student = numberOf(caller);
        const isWrong = result.kind === 'falls';
        if (isWrong) wrongAnswers.note(student, { lesson: number, text, ...toldOf(result) });
        const judged = result.kind === 'unusable' ? null : undefined;
        roll.noteScript(student, number, isWrong ? result.result : judged);
      },
    }),
  );
  for (const path of ['/jobs', '/jobs/*', '/recruiters', '/recruiters/*', '/claims/*'])
    app.all(path, (c) => onBoard(c, roll, boards));
  answerOtherwise(app, log);
  return app;
}

/** Two races at the same time would slow each other. */
const ONE_RACE = { ...CLASS_TURNS, places: 1 };
const BOXES = { ...CLASS_TURNS, places: PLACES };

async function onBoard(c: Context<Env>, roll: Roll, boards: Boards): Promise<Response> {
  const student = studentOf(c, roll);
  // The teacher may remove a student at any moment.
  if (!student) return problem(joinFirst);
  const board = await boards.of(student);
  return board ? board.fetch(c.req.raw, c.env) : problem(shuttingDown);
}

const toldOf = ({ result, says, shown }: Judged) => ({ result, says, shown });

const progress = z.strictObject({
  lesson: z.int('is the number of a lesson'),
  step: z.enum(STEPS, `is one of ${STEPS.join(', ')}`),
  prediction: z.string().max(1, 'is a letter').optional(),
  secondVote: z.string().max(1, 'is a letter').optional(),
});

/**
 * Makes the route by which the pages of a student follow the pace of the room. While one of these
 * streams is open, the student is here.
 */
function paceRoutes(roll: Roll, pace: PaceMaker) {
  const routes = newRoutes();
  routes.get('/pace', (c) => {
    // A HEAD request reads no stream, so its listener would stay for ever.
    if (c.req.method === 'HEAD') return headOfEvents(c);
    const student = studentOf(c, roll);
    const listener = student && pace.listen();
    if (!student) return problem(joinFirst);
    if (!listener || listener === 'full') return problem(busy, {}, RETRY_AFTER);
    roll.notePages(student, 1);
    listener.left.addEventListener('abort', () => roll.notePages(student, -1), { once: true });
    return streamEvents(c, listener);
  });
  routes.all('/pace', () => methodNotAllowed('GET'));
  return routes;
}

/** Makes the route to which the pages of the lessons report the progress of a student. */
function progressRoutes(roll: Roll, pace: PaceMaker) {
  const routes = newRoutes();
  routes.post('/progress', async (c) => {
    const body: unknown = await c.req.json().catch(() => undefined);
    if (body === undefined) return problem(notJson);
    const told = progress.safeParse(body);
    if (!told.success) return invalid(told.error, 'body');
    const student = studentOf(c, roll);
    const { secondVote, ...first } = told.data;
    const { lesson, votesAgain } = pace.pace;
    // A browser may still have the votes of another class.
    const isAsked = votesAgain && lesson === first.lesson;
    const report = isAsked ? { ...first, secondVote } : first;
    if (student && roll.report(student, report)) return c.body(null, 204);
    return problem({ ...invalidRequest, detail: 'There is no such lesson or prediction.' });
  });
  routes.all('/progress', () => methodNotAllowed('POST'));
  return routes;
}

/** Refuses requests under a foreign name (DNS rebinding). */
function underOwnNames(names: ReadonlySet<string>): Guard {
  return (c) => {
    const host = c.req.header('Host') ?? new URL(c.req.url).host;
    return names.has(nameIn(host) ?? '') ? undefined : problem(wrongHost);
  };
}

const wrongHost = {
  ...crossSiteRefused,
  detail: 'The room answers only at the address that its terminal has printed.',
} as const;

/**
 * Remembers the body of an answer that is the same for everybody while the room is open. Otherwise
 * a class that opens the lab at the same time would wait while the server makes the same JSON
 * thirty times.
 */
function sameForAll(): MiddlewareHandler<Env> {
  let body: string | undefined;
  return async (c, next) => {
    if (body !== undefined && c.req.method === 'GET')
      return c.body(body, 200, { 'Content-Type': 'application/json' });
    await next();
    if (c.res.status === 200) body = await c.res.clone().text();
    return undefined;
  };
}
