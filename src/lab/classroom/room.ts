import type { Log } from '../../platform/process/log.ts';
import { nameOf } from '../../service/http/auth/caller.ts';
import { listen } from '../../service/http/edge/listen.ts';
import type { Chapter } from '../chapter.ts';
import { claims } from '../chapters/claims/index.ts';
import { play } from '../play/play.ts';
import { hasRequests } from '../race/report.ts';
import { runRounds } from '../race/rounds/rounds.ts';
import { type LabStages, openStages, PLAY_LIMITS } from '../stages/lab-stages.ts';
import { readTexts } from '../syllabus/source.ts';
import { OpenRequests } from './at-once-http.ts';
import { Boards } from './boards.ts';
import { makeCode, makeSecret } from './code.ts';
import { callerOf } from './door-http.ts';
import { CLASS_TURNS } from './fairness.ts';
import type { Guesses } from './guesses.ts';
import { createRoom, type MakePages } from './http.ts';
import { tellLessons } from './lessons.ts';
import { ownNames } from './network.ts';
import { PaceMaker } from './pace.ts';
import { Roll } from './roll.ts';
import { Desk, type PaceChange } from './teacher-http.ts';
import { WrongAnswers } from './wrong-answers.ts';

export interface RoomOptions {
  /** The address of a PostgreSQL server, for a superuser. The room makes its databases there. */
  databaseUrl: string;
  host: string;
  /** 0 means any free port. */
  port: number;
  log: Log;
  /** Returns the address for the students, given the actual port. Default: the server's address. */
  urlOf?: (port: string) => string;
  guesses?: Guesses;
  makePages: MakePages;
}

export interface Room {
  /** The address for the students. */
  url: string;
  code: string;
  /** The secret of the teacher's page. */
  secret: string;
  stop(): Promise<void>;
}

/** Each of 60 students may have six connections, and some pages stay open in the background. */
const SOCKETS = 600;
/**
 * A whole class may share one address behind a router: 60 students with six connections each, and
 * the teacher. So a device that opens too many sockets leaves 200 sockets for the other addresses.
 */
const SOCKETS_PER_ADDRESS = 400;
/**
 * The time for the headers of a request. A browser sends its headers immediately. Some browsers
 * open a socket in advance, and open another socket if we close the first one.
 */
const HEAD_MS = 4_000;
const SOCKET_LIMITS = {
  sockets: SOCKETS,
  socketsPerAddress: SOCKETS_PER_ADDRESS,
  headMs: HEAD_MS,
};
/** How long idle stages stay open. A teacher may speak for a while before the class goes on. */
const LESSON_MS = 3_600_000;
/** The time for open requests at the end. Streams end immediately, and other answers are short. */
const DRAIN_MS = 3_000;

/** Opens a room. `stop` removes everything that the room has made. */
export async function openRoom({
  databaseUrl,
  host,
  port,
  log,
  urlOf,
  guesses,
  makePages,
}: RoomOptions): Promise<Room> {
  const code = makeCode();
  const secret = makeSecret();
  const stopping = new AbortController();
  const lessons = tellLessons(readTexts());
  const roll = new Roll(lessons, () => desk.tell());
  const pace = new PaceMaker();
  const wrongAnswers = new WrongAnswers();
  const desk = new Desk(() => ({
    ...roll.tell(),
    pace: pace.pace,
    wrongAnswers: wrongAnswers.counts(),
  }));
  const setPace = (change: PaceChange) => {
    const given = Object.entries(change).filter(([, value]) => value !== undefined);
    pace.set({ ...pace.pace, ...Object.fromEntries(given) });
    desk.tell();
  };
  const requests = new OpenRequests();
  const boards = new Boards(databaseUrl, log);
  const stages = openStages(databaseUrl, log, {
    explorations: CLASS_TURNS.places,
    idleMs: LESSON_MS,
  });
  const close = () => Promise.all([boards.close(), stages.close()]);
  let url = '';
  const remove = async (number: number) => {
    const student = roll.remove(number);
    if (!student) return false;
    wrongAnswers.forget(number);
    requests.cut(nameOf(callerOf(student)));
    await boards.drop(student);
    return true;
  };
  try {
    const app = createRoom({
      ...{ code, roll, pace, wrongAnswers, boards, stages, requests, log, guesses, makePages },
      teacher: {
        ...{ secret, desk, told: { code, lessons }, url: () => url, remove },
        ...{ setPace, wrongAnswers },
      },
      stop: stopping.signal,
      names: ownNames(host),
    });
    await Promise.all([boards.ready(), warmUp(stages)]);
    const listening = await listen(app, host, port, SOCKET_LIMITS, '--port');
    url = urlOf?.(new URL(listening.url).port) ?? listening.url;
    return {
      url,
      code,
      secret,
      async stop() {
        stopping.abort();
        desk.close();
        pace.close();
        await Promise.all([listening.drain(DRAIN_MS), close()]);
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Makes the stages for plays and races, and uses each stage once. A stage takes half a second to
 * make. Without these stages, students who all begin together would have to wait.
 */
async function warmUp(stages: LabStages) {
  const [strategy] = claims.strategies;
  const chapter: Chapter = claims;
  if (!strategy || !hasRequests(chapter)) throw new Error('the chapter of claims has no race');
  const [situation] = claims.situationsOf(strategy);
  const request = { chapter: claims, strategy, situation, sessions: 2, schedule: [] };
  const plays = Array.from({ length: PLAY_LIMITS.places }, () =>
    stages.plays.use((stage) => play(stage, request)),
  );
  const race = stages.rounds.use((stage) =>
    runRounds(
      stage,
      { chapter, strategies: [strategy] },
      { sessions: 8, capacity: 4, rounds: 1 },
      () => undefined,
      new AbortController().signal,
    ),
  );
  await Promise.all([...plays, race]);
}
