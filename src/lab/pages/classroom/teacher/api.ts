import { eventsOf } from '../../../../client/events.ts';
import type { TeacherNews, ToldClassroom } from '../../../../lab/classroom/teacher-http.ts';
import { pause, pauseAfter } from '../../../../waiting/backoff.ts';
import { serviceUrl } from '../../../parts/api.ts';
import { BACKOFF } from '../../../parts/backoff.ts';

export type { ToldClassroom };
export type ToldLesson = ToldClassroom['lessons'][number];
export type ToldRoom = TeacherNews['room'];
export type ToldStudent = ToldRoom['students'][number];

const KEPT_AS = 'rowlock.teacher';

/**
 * The secret comes in the fragment of the address. Browsers do not send a fragment. The page takes
 * the secret out of the address, so nobody reads it from the projector.
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

/** Throws an error with words for a person. */
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

interface Follower {
  onRoom(room: ToldRoom): void;
  onLost(): void;
}

/** Tells each change of the room, until the signal is aborted. Connects again after a break. */
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
