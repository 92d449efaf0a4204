import { nameOf } from '../../http/auth/caller.ts';
import type { Log } from '../../process/log.ts';
import { listen } from '../../service/listen.ts';
import { openStages } from '../stages/lab-stages.ts';
import { readTexts } from '../syllabus/source.ts';
import { OpenRequests } from './at-once-http.ts';
import { Boards } from './boards.ts';
import { makeCode, makeSecret } from './code.ts';
import { callerOf } from './door-http.ts';
import { CLASS_TURNS } from './fairness.ts';
import type { Guesses } from './guesses.ts';
import { createRoom } from './http.ts';
import { tellLessons } from './lessons.ts';
import { ownNames } from './network.ts';
import { Roll } from './roll.ts';
import { Desk } from './teacher-http.ts';
import { warmUp } from './warm-up.ts';

export interface RoomOptions {
  /** The address of a superuser of a PostgreSQL. The room makes databases of its own there. */
  databaseUrl: string;
  host: string;
  /** 0 means any free port. */
  port: number;
  log: Log;
  /** The address for the students, by the actual port. By default the address of the server. */
  urlOf?: (port: string) => string;
  guesses?: Guesses;
}

export interface Room {
  /** The address for the students. */
  url: string;
  code: string;
  /** The secret of the teacher's page. */
  secret: string;
  stop(): Promise<void>;
}

/** Every student may have six connections, and some pages stay open in the background. */
const SOCKETS = 600;
/**
 * A whole class may come from one address, through a router: 60 students with six connections, and
 * the teacher. One device that wastes its share still leaves 200 sockets to other addresses.
 */
const SOCKETS_PER_ADDRESS = 400;
/** A browser sends its headers at once. Some browsers open a socket in advance, and open it anew. */
const HEAD_MS = 4_000;
const SOCKET_LIMITS = {
  sockets: SOCKETS,
  socketsPerAddress: SOCKETS_PER_ADDRESS,
  headMs: HEAD_MS,
};
/** A teacher may speak for a while before the class goes on. */
const LESSON_MS = 3_600_000;
/** The streams end at once, and all other answers are short. */
const DRAIN_MS = 3_000;

/** Opens a room. Nothing of the room is left after `stop`. */
export async function openRoom({
  databaseUrl,
  host,
  port,
  log,
  urlOf,
  guesses,
}: RoomOptions): Promise<Room> {
  const code = makeCode();
  const secret = makeSecret();
  const stopping = new AbortController();
  const lessons = tellLessons(readTexts());
  const roll = new Roll(lessons, () => desk.tell());
  const desk = new Desk(() => roll.tell());
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
    requests.cut(nameOf(callerOf(student)));
    await boards.drop(student);
    return true;
  };
  try {
    const app = createRoom({
      ...{ code, roll, boards, stages, requests, log, guesses },
      teacher: { secret, desk, told: { code, lessons }, url: () => url, remove },
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
        await Promise.all([listening.drain(DRAIN_MS), close()]);
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
