import { eventsOf } from '../../../../client/events.ts';
import { serviceUrl } from '../../../../pages/parts/api.ts';
import { BACKOFF } from '../../../../pages/parts/backoff.ts';
import { pause, pauseAfter } from '../../../../platform/waiting/backoff.ts';
import type { Pace } from '../../../classroom/pace.ts';
import type { TeacherNews, ToldClassroom } from '../../../classroom/teacher-http.ts';
import type { WrongAnswer } from '../../../classroom/wrong-answers.ts';

export type { ToldClassroom };
export type ToldLesson = ToldClassroom['lessons'][number];
export type ToldRoom = TeacherNews['room'];
export type ToldStudent = ToldRoom['students'][number];
export type { Pace, WrongAnswer };

const KEPT_AS = 'rowlock.teacher';

/**
 * Returns the teacher's secret. It comes in the fragment of the address, because browsers do not
 * send fragments. The page removes the secret from the address, so nobody can read the secret on
 * the projector.
 */
export function takeSecret(): string {
  const given = location.hash.slice(1);
  if (given) {
    sessionStorage.setItem(KEPT_AS, given);
    history.replaceState(null, '', location.pathname + location.search);
  }
  return sessionStorage.getItem(KEPT_AS) ?? '';
}

const asking = (secret: string) => ({ Authorization: `Bearer ${secret.replaceAll(/\W/g, '')}` });

/**
 * Reads the address, the code and the lessons of the room. Throws an error with words for a person.
 */
export async function readClassroom(secret: string): Promise<ToldClassroom> {
  const answer = await fetch(`${serviceUrl}teacher/classroom`, { headers: asking(secret) }).catch(
    () => undefined,
  );
  const body = await answer?.json().catch(() => undefined);
  if (!answer || !body) throw new Error('The room does not answer. Does its terminal still run?');
  if (!answer.ok) throw new Error((body as { detail: string }).detail);
  return body as ToldClassroom;
}

export const removeStudent = (secret: string, number: number) =>
  fetch(`${serviceUrl}teacher/students/${number}`, { method: 'DELETE', headers: asking(secret) });

/** Changes the pace of the room. Returns false if the room did not take the change. */
export const setPace = (secret: string, pace: Partial<Pace>): Promise<boolean> =>
  fetch(`${serviceUrl}teacher/pace`, {
    method: 'PATCH',
    headers: { ...asking(secret), 'Content-Type': 'application/json' },
    body: JSON.stringify(pace),
  }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Reads the wrong answers of a lesson. Returns none if the room does not answer. */
export const readWrongAnswers = (secret: string, lesson: number): Promise<WrongAnswer[]> =>
  fetch(`${serviceUrl}teacher/answers/${lesson}`, { headers: asking(secret) })
    .then((answer): Promise<WrongAnswer[]> | WrongAnswer[] => (answer.ok ? answer.json() : []))
    .catch(() => []);

interface Follower {
  onRoom(room: ToldRoom): void;
  onLost(): void;
}

/**
 * Tells the follower each change of the room, until the signal is aborted. Connects again after
 * each break of the connection.
 */
export async function followRoom(secret: string, signal: AbortSignal, follower: Follower) {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const init = { headers: asking(secret), signal };
      const { ok, body } = await fetch(`${serviceUrl}teacher/room`, init);
      if (ok && body)
        for await (const event of eventsOf(body)) {
          if (event) follower.onRoom(event.data as ToldRoom);
          failures = 0;
        }
    } catch {
      // The connection was cut. The loop connects again.
    }
    if (signal.aborted) return;
    follower.onLost();
    await pause(pauseAfter(failures, BACKOFF), signal);
  }
}
