import { Stage } from '../../src/lab/explore/stage.ts';
import { atEnd } from './command.ts';
import { makeLabDatabase } from './database.ts';

/** Makes a stage on a new database. */
export async function makeStage(): Promise<Stage> {
  const stage = new Stage(await makeLabDatabase());
  atEnd(() => stage.close());
  return stage;
}
