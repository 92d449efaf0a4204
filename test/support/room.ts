import { type IncomingMessage, request as send } from 'node:http';
import type { Student } from '../../src/lab/classroom/roll.ts';
import { openRoom, type Room } from '../../src/lab/classroom/room.ts';
import { classroomPages } from '../../src/pages/http.ts';
import { collectLog } from './app.ts';
import { atEnd, runSource } from './command.ts';
import { makeDatabase } from './database.ts';
import { type Following, follow } from './events.ts';

/** An answer with its body as JSON, or as text if it is no JSON. */
export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the content of answers.
  body: any;
}

/** Opens a room on a database server of the test run. */
export async function makeRoom() {
  const { log, events } = collectLog();
  const databaseUrl = await makeDatabase();
  const room = await openRoom({
    databaseUrl,
    host: '127.0.0.1',
    port: 0,
    log,
    makePages: classroomPages,
  });
  atEnd(() => room.stop());
  return { room, events, databaseUrl, ...visitorsOf(room) };
}

/** Opens a room in a separate process, as a teacher does. */
export async function runRoom() {
  const command = runSource('scripts/classroom.ts', ['--host', '127.0.0.1', '--port', '0']);
  const [, url = '', secret = ''] = await command.says(/^ {2}Teacher: +(\S+)\/teacher#(\w+)$/m);
  const [, code = ''] = /^ {2}Code: +(\w+)$/m.exec(command.stdout()) ?? [];
  return { command, url, code, secret };
}

/**
 * Returns the visitors of a room: a stranger, the teacher, and a function that lets a student join.
 */
export function visitorsOf(room: Pick<Room, 'url' | 'code' | 'secret'>) {
  const stranger = visitor(room.url, {});
  const teacher = visitor(room.url, { Authorization: `Bearer ${room.secret}` });
  const join = async (name: string) => {
    const answer = await stranger.call('POST', '/join', { code: room.code, name });
    const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
    return { ...visitor(room.url, { Cookie: cookie }), cookie, answer };
  };
  return { stranger, teacher, join };
}

/** A student with this number, who has done nothing yet. */
export const aStudent = (number: number): Student => ({
  ...{ number, name: 'Late', secret: String(number) },
  ...{ lesson: null, step: null, predictions: new Map(), secondVotes: new Map() },
  ...{ steps: new Map(), solved: new Set(), changedAt: 0, pages: 0, wrong: undefined },
});

export type Visitor = ReturnType<typeof visitor>;

function visitor(url: string, own: Record<string, string>) {
  const initOf = (method: string, body: unknown, headers: Record<string, string>): RequestInit => ({
    method,
    redirect: 'manual',
    headers: { ...own, ...(body !== undefined && JSON_BODY), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return {
    async call(
      method: string,
      path: string,
      body?: unknown,
      headers: Record<string, string> = {},
    ): Promise<Answer> {
      const answer = await fetch(url + path, initOf(method, body, headers));
      const text = await answer.text();
      const isJson = answer.headers.get('content-type')?.includes('json');
      return {
        status: answer.status,
        headers: answer.headers,
        body: isJson ? JSON.parse(text) : text,
      };
    },
    follow: (path: string, body?: unknown): Promise<Following> =>
      follow((init) =>
        fetch(url + path, { ...initOf(body === undefined ? 'GET' : 'POST', body, {}), ...init }),
      ),
  };
}

const JSON_BODY = { 'Content-Type': 'application/json' };

/** Joins a room from this loopback address, with these headers. Returns the status. */
export async function joinFrom(
  url: string,
  body: unknown,
  { localAddress, headers = {} }: { localAddress?: string; headers?: Record<string, string> },
): Promise<number> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { method: 'POST', headers: { ...JSON_BODY, ...headers } };
    send(`${url}/join`, { ...options, ...(localAddress && { localAddress }) }, resolve)
      .on('error', reject)
      .end(JSON.stringify(body));
  });
  answer.resume();
  return answer.statusCode ?? 0;
}
