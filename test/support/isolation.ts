import { planFor } from '../../scripts/isolation.ts';
import { drizzleDatabases } from '../../src/explorer/databases.ts';
import type { Plan } from '../../src/explorer/isolation/plan.ts';
import { specOf } from '../../src/explorer/isolation/spec.ts';
import { Stage } from '../../src/explorer/stage.ts';
import { type Situation, sessionsIn } from '../../src/lab/chapter.ts';
import { findSituation, findStrategy } from '../../src/lab/chapters/index.ts';
import { prepareLabDatabase } from '../../src/lab/stages/stages.ts';
import { findIsolationTester } from '../../src/platform/postgres/isolation-tester.ts';
import { atEnd } from './command.ts';
import { makeEmptyDatabase } from './database.ts';

const tester = findIsolationTester();

/** Plays a plan with the tester in the database at `url`. The test needs the tag `isolationtester`. */
export async function play(plan: Plan, url: string): Promise<string> {
  if (!tester) throw new Error('There is no isolationtester.');
  return tester(url, specOf(plan, []));
}

/** Makes a stage on a new database without demo data, as `npm run explore` does. */
export async function makeBareStage(): Promise<Stage> {
  const url = await makeEmptyDatabase();
  await prepareLabDatabase(url);
  const stage = new Stage(url, drizzleDatabases());
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
