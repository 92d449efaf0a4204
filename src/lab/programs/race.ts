import { STATUS_CODES } from 'node:http';
import type { Fleet } from '../../explorer/programs/fleet.ts';
import { ProgramError } from '../../explorer/programs/program-error.ts';
import type { Database } from '../../platform/db/client.ts';
import { inTime } from '../../platform/waiting/deadline.ts';
import type { Race } from '../chapter.ts';
import type { RaceOrder, Round } from '../race/race.ts';
import type { Program } from './program.ts';

/** The maximum time for an answer. Sessions of a round wait for locks for a much shorter time. */
const ANSWER_MS = 15_000;

const late = () =>
  Promise.reject(
    new ProgramError('no answer', `The program gave no answer within ${ANSWER_MS / 1000} s`),
  );

/**
 * Runs one round. All requests are sent at the same time, each over a separate connection. The
 * sessions share the copies of the program.
 */
export async function raceProgramOnce(
  fleet: Fleet,
  program: Program,
  { race, path }: { race: Race; path: string },
  db: Database,
  order: RaceOrder,
): Promise<Round> {
  const course = await race.lay(db, order);
  const answers: Round['answers'] = [];
  const send = async (query: string, index: number) => {
    const asked = fleet.ask(index + 1, { path: `${path}?${query}` });
    const answer = await inTime(asked, ANSWER_MS, late);
    const kind = program.kindOf(answer);
    // A function returns a kind without a status, so we take the status of this kind in our API.
    const status = kind === undefined ? answer.status : race.statusOf({ kind });
    answers.push({ session: index + 1, status, reason: STATUS_CODES[status] ?? '' });
  };
  // The rows may be removed only after the last request has ended.
  const sent = await Promise.allSettled(course.queries.map(send));
  const failed = sent.find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
  const standing = await race.count(db, course);
  await race.clear(db);
  return { answers, standing };
}
