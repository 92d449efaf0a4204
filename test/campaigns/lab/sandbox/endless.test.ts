import { describe, expect, test } from 'vitest';
import type { Experiment } from '../../../../src/lab/sandbox/experiment.ts';
import { TOO_LONG } from '../../../../src/lab/sandbox/watch.ts';
import { print } from '../../../../src/platform/process/print.ts';
import { makeApp, makeLab } from '../../../support/app.ts';
import { DOCTORS } from '../../../support/doctors.ts';
import { ENDLESS, endless } from '../../../support/endless.ts';
import { type Following, follow } from '../../../support/events.ts';
import { makeRoom } from '../../../support/room.ts';

// `npm run test:campaigns` runs this file alone, since other work would disturb the ratio.
const ATTACKERS = 3;
const STUDENTS = 30;
/** The number of rounds. Each round runs first without the attackers, and then with them. */
const ROUNDS = 3;
const ANSWER_MS = 5_000;
/**
 * The maximum ratio of the time with attackers to the time without them. The aim is 1.5 on an idle
 * machine. Two idle cores reach 1.2 to 1.45 if temporary data is in memory, and 1.6 to 2.2 if it is
 * on a slow disk. With an earlier design (docs/decisions), they reached 2.9 to 3.5.
 */
const MOST_RATIO = 2;

type Ask = (experiment: Experiment) => Promise<Following>;

let number = 0;
const harmless = () => ({
  ...DOCTORS.broken,
  check: `select count(*) >= 0, ${number++} from doctors`,
});

async function inTheLab(): Promise<Ask[]> {
  const made = await makeApp();
  made.app.route('/lab', makeLab(made));
  const headers = { 'Content-Type': 'application/json' };
  const ask: Ask = (experiment) =>
    follow((init) =>
      made.app.request('/lab/sandbox', {
        ...{ ...init, method: 'POST', headers, body: JSON.stringify(experiment) },
      }),
    );
  return Array(ATTACKERS + 1).fill(ask);
}

async function inAClassroom(): Promise<Ask[]> {
  const { join } = await makeRoom();
  const students = await Promise.all(
    Array.from({ length: STUDENTS }, (_, index) => join(`Student ${index}`)),
  );
  return students.map((student) => (experiment) => student.follow('/lab/sandbox', experiment));
}

/** Runs an experiment to its end. Returns its last event and its time. */
async function run(ask: Ask, experiment: Experiment) {
  const began = performance.now();
  const following = await ask(experiment);
  await following.ended;
  return { last: following.events.at(-1), ms: performance.now() - began };
}

const median = (values: number[]) =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;

describe.each([
  ['in the lab', inTheLab],
  ['in a classroom of thirty', inAClassroom],
])('%s', (_, open) => {
  test('three students with endless statements do not block the other students', {
    timeout: 900_000,
  }, async () => {
    const everybody = await open();
    const attackers = everybody.slice(0, ATTACKERS);
    const neighbours = everybody.slice(ATTACKERS);
    await run(neighbours[0] as Ask, harmless());
    const statements = Object.values(ENDLESS);
    const took: Record<'without' | 'with', number[]> = { without: [], with: [] };
    const answered: number[] = [];

    /** Runs experiments of the neighbours, one at a time, until the round is over. */
    async function round(kind: 'without' | 'with', isOver: () => boolean) {
      for (let turn = 0; !isOver(); turn++) {
        const ask = neighbours[turn % neighbours.length] as Ask;
        const { last, ms } = await run(ask, harmless());
        expect(last).toMatchObject({ name: 'done', data: { schedules: 20 } });
        took[kind].push(ms);
      }
    }

    async function attack(ask: Ask, own: string[]) {
      for (const statement of own) {
        const { last, ms } = await run(ask, endless(statement));
        expect(last, statement).toEqual({ name: 'failed', data: { detail: TOO_LONG } });
        answered.push(ms);
      }
    }

    for (let each = 0; each < ROUNDS; each++) {
      const end = performance.now() + 5_000;
      await round('without', () => performance.now() > end);
      let isOver = false;
      const part = statements.filter((_, index) => index % ROUNDS === each);
      const attacks = attackers.map((ask, index) =>
        attack(
          ask,
          part.filter((_, at) => at % ATTACKERS === index),
        ),
      );
      const attacked = Promise.all(attacks).finally(() => {
        isOver = true;
      });
      await Promise.all([attacked, round('with', () => isOver)]);
    }
    const ratio = median(took.with) / median(took.without);
    print(
      `${Object.entries(took)
        .map(
          ([kind, all]) => `${kind} attackers: ${median(all).toFixed(0)} ms (${all.length} runs)`,
        )
        .join('\n')}\nratio: ${ratio.toFixed(2)}, ` +
        `answers to attackers: median ${median(answered).toFixed(0)} ms, longest ${Math.max(...answered).toFixed(0)} ms\n`,
    );
    expect(answered).toHaveLength(statements.length);
    expect(Math.max(...answered)).toBeLessThan(ANSWER_MS);
    expect(ratio).toBeLessThan(MOST_RATIO);
  });
});
