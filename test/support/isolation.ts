import { planFor } from '../../scripts/isolation.ts';
import { type Situation, sessionsIn } from '../../src/lab/chapter.ts';
import { findSituation, findStrategy } from '../../src/lab/chapters/index.ts';
import type { Plan } from '../../src/lab/explore/isolation/plan.ts';
import { Stage } from '../../src/lab/explore/stage.ts';
import { labSchema } from '../../src/lab/stages/database.ts';
import { atEnd } from './command.ts';
import { makeEmptyDatabase } from './database.ts';

/**
 * Makes a stage on a database with the tables of `schema.sql`, and without demo data. The tester
 * plays on such a database too.
 */
export async function makeBareStage(): Promise<Stage> {
  const stage = new Stage(await makeEmptyDatabase());
  atEnd(() => stage.close());
  await stage.run(labSchema());
  return stage;
}

/** Explores a strategy in one of its situations, and plans the schedules for the tester. */
export function explored(stage: Stage, address: string, situationName: string): Promise<Plan> {
  const found = orThrow(findStrategy(address));
  const situation: Situation = orThrow(findSituation(found, situationName));
  const asked = { chapter: found.chapter, situation, sessions: sessionsIn(situation, 2) };
  return planFor(stage, found.strategy, asked);
}

function orThrow<T>(found: T | string): T {
  if (typeof found === 'string') throw new Error(found);
  return found;
}
