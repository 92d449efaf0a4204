import { encode } from 'uqr';
import { z } from 'zod';
import { headOfEvents, streamEvents } from '../../service/http/event-stream.ts';
import { type Guard, guardedBy, newRoutes } from '../../service/http/new-routes.ts';
import { problem, RETRY_AFTER } from '../../service/http/problem.ts';
import { busy, invalid, methodNotAllowed, notJson } from '../../service/http/problems.ts';
import { Listener } from '../listener.ts';
import { isSame } from './code.ts';
import type { ToldLesson } from './lessons.ts';
import type { Pace } from './pace.ts';
import { notHere, teacherOnly } from './problems.ts';
import type { ToldRoom } from './roll.ts';
import type { WrongAnswers } from './wrong-answers.ts';

/** The maximum number of open pages: at the desk, on the projector, and perhaps on a phone. */
const MOST_LISTENERS = 8;

/**
 * The time between two reports. A class causes many changes a second, and each report contains the
 * whole room.
 */
const TELL_MS = 100;

/** The facts that do not change while the room is open. */
export interface ToldClassroom {
  /** The address for the students. */
  url: string;
  code: string;
  /** The dark squares of the QR code, by line. */
  qr: boolean[][];
  lessons: ToldLesson[];
}

export interface TeacherNews {
  room: ToldDesk;
}

/** The room, its pace, and how many students gave each wrong answer. */
export interface ToldDesk extends ToldRoom {
  pace: Pace;
  wrongAnswers: Record<number, Record<string, number>>;
}

/** The time between two reports of a quiet room. A student may be stuck meanwhile. */
const QUIET_MS = 10_000;

/** Sends the state of the room to the open pages of the teacher after each change. */
export class Desk {
  readonly #listeners = new Set<Listener>();
  readonly #tell: () => ToldDesk;
  readonly #quiet: NodeJS.Timeout;
  #soon: NodeJS.Timeout | undefined;

  constructor(tell: () => ToldDesk) {
    this.#tell = tell;
    this.#quiet = setInterval(() => this.tell(), QUIET_MS).unref();
  }

  listen(): Listener | 'full' {
    if (this.#listeners.size >= MOST_LISTENERS) return 'full';
    const listener = new Listener();
    this.#listeners.add(listener);
    listener.left.addEventListener('abort', () => this.#listeners.delete(listener));
    listener.tellLatest('room', this.#tell());
    return listener;
  }

  /** Sends the latest state soon. Several changes within a short time cause one report. */
  tell() {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      const room = this.#tell();
      for (const listener of this.#listeners) listener.tellLatest('room', room);
    }, TELL_MS).unref();
  }

  close() {
    clearTimeout(this.#soon);
    clearInterval(this.#quiet);
    for (const listener of this.#listeners) listener.leave();
  }
}

export interface TeacherDeps {
  secret: string;
  desk: Desk;
  told: Omit<ToldClassroom, 'qr' | 'url'>;
  /** The address for the students. It is known once the server listens. */
  url: () => string;
  /** Removes a student from the room. Returns false if nobody has this number. */
  remove: (number: number) => Promise<boolean>;
  /** Changes the pace of the room. */
  setPace: (change: PaceChange) => void;
  wrongAnswers: WrongAnswers;
}

const A_LESSON = 'is the number of a lesson, or null';

/** The fields that are absent stay as they are. */
export type PaceChange = { [Field in keyof Pace]?: Pace[Field] | undefined };

const paceRules = z.strictObject({
  lesson: z.int(A_LESSON).min(1, A_LESSON).max(99, A_LESSON).nullable(),
  mayLookAhead: z.boolean('is true or false'),
  isHeld: z.boolean('is true or false'),
  votesAgain: z.boolean('is true or false'),
});

/** The routes of the teacher's page. Each request must carry the secret. */
export function teacherRoutes(deps: TeacherDeps) {
  const { secret, desk, told, url, remove, setPace, wrongAnswers } = deps;
  const routes = newRoutes();
  // The path is not `/teacher/*`, because Hono would then guard the page `/teacher` too.
  const paths = ['classroom', 'room', 'pace', 'answers/*', 'students/*'];
  for (const path of paths) routes.use(`/teacher/${path}`, guardedBy(withSecret(secret)));
  routes.get('/teacher/classroom', (c) => {
    const address = url();
    const qr = encode(joinAddress(address, told.code), { border: 2 }).data;
    return c.json({ ...told, url: address, qr } satisfies ToldClassroom);
  });
  routes.get('/teacher/room', (c) => {
    if (c.req.method === 'HEAD') return headOfEvents(c);
    const listener = desk.listen();
    return listener === 'full' ? problem(busy, {}, RETRY_AFTER) : streamEvents(c, listener);
  });
  routes.delete('/teacher/students/:number', async (c) =>
    (await remove(Number(c.req.param('number')))) ? c.body(null, 204) : problem(notHere),
  );
  routes.patch('/teacher/pace', async (c) => {
    const body: unknown = await c.req.json().catch(() => undefined);
    if (body === undefined) return problem(notJson);
    const asked = paceRules.partial().safeParse(body);
    if (!asked.success) return invalid(asked.error, 'body');
    setPace(asked.data);
    return c.body(null, 204);
  });
  routes.get('/teacher/answers/:lesson', (c) =>
    c.json(wrongAnswers.of(Number(c.req.param('lesson')))),
  );
  routes.all('/teacher/pace', () => methodNotAllowed('PATCH'));
  routes.all('/teacher/answers/:lesson', () => methodNotAllowed('GET, HEAD'));
  routes.all('/teacher/classroom', () => methodNotAllowed('GET, HEAD'));
  routes.all('/teacher/room', () => methodNotAllowed('GET'));
  return routes;
}

/**
 * Returns the address in the QR code. The fragment of the address has the code of the room.
 * Browsers do not send the fragment, so no log has the code.
 */
export const joinAddress = (url: string, code: string): string => `${url}/join#${code}`;

const withSecret =
  (secret: string): Guard =>
  (c) => {
    const given = /^Bearer (\w+)$/.exec(c.req.header('Authorization') ?? '')?.[1] ?? '';
    return isSame(given, secret) ? undefined : problem(teacherOnly);
  };
