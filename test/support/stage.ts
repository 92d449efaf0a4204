import { afterAll } from 'vitest';
import { Stage } from '../../src/lab/explore/stage.ts';
import { makeLabDatabase } from './database.ts';

/** A stage on a database of its own. */
export async function makeStage(): Promise<Stage> {
  const stage = new Stage(await makeLabDatabase());
  afterAll(() => stage.close());
  return stage;
}
