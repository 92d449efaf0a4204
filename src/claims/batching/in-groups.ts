import { setImmediate as turn } from 'node:timers/promises';

/**
 * The most answers in a group. Groups of 2, 4 and 8 were as fast. Groups of 16 gave 0.95 times as
 * many claims.
 */
const IN_GROUP = 6;

/**
 * Makes answers in groups, one group in each of the next turns of the event loop. Between two
 * groups, Node reads what the database has sent, and sends the next statement. If Node answered a
 * whole batch in one turn, PostgreSQL would have no work meanwhile. 256 clients then got 0.85 times
 * as many claims.
 */
export async function answerInGroups(answers: (() => void)[]) {
  for (let next = 0; next < answers.length; next += IN_GROUP) {
    await turn();
    for (const answer of answers.slice(next, next + IN_GROUP)) answer();
  }
}
