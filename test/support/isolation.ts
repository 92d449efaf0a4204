import { planFor } from '../../scripts/isolation.ts';
import { type Situation, sessionsIn } from '../../src/lab/chapter.ts';
import { findSituation, findStrategy } from '../../src/lab/chapters/index.ts';
import type { Plan } from '../../src/lab/explore/isolation/plan.ts';
import { specOf } from '../../src/lab/explore/isolation/spec.ts';
import { Stage } from '../../src/lab/explore/stage.ts';
import { prepareLabDatabase } from '../../src/lab/stages/database.ts';
import { findIsolationTester } from '../../src/postgres/isolation-tester.ts';
import { atEnd } from './command.ts';
import { makeEmptyDatabase } from './database.ts';

/** PostgreSQL's isolationtester. Undefined on a machine without the program, after a warning. */
export const tester = findIsolationTester();
if (!tester) {
  const missing = 'The embedded PostgreSQL of this machine has no isolationtester.';
  if (process.env.CI && process.platform === 'linux')
    throw new Error(`${missing} In CI its tests must run.`);
  process.stderr.write(`\n!!! ${missing} ITS TESTS ARE SKIPPED.\n\n`);
}

/** Plays a plan with the tester in the database at `url`. */
export async function play(plan: Plan, url: string): Promise<string> {
  if (!tester) throw new Error('There is no isolationtester.');
  return tester(url, specOf(plan, []));
}

/** Makes a stage on a new database without demo data, as `npm run explore` does. */
export async function makeBareStage(): Promise<Stage> {
  const url = await makeEmptyDatabase();
  await prepareLabDatabase(url);
  const stage = new Stage(url);
  atEnd(() => stage.close());
  return stage;
}

/** Explores a strategy in one of its situations, and plans the schedules for the tester. */
export function explored(stage: Stage, address: string, situationName: string): Promise<Plan> {
  const found = orThrow(findStrategy(address));
  const situation: Situation = orThrow(findSituation(found, situationName));
  return planFor(stage, { ...found, situation, sessions: sessionsIn(situation, 2) });
}

function orThrow<T>(found: T | string): T {
  if (typeof found === 'string') throw new Error(found);
  return found;
}
