import { inject } from 'vitest';
import type { Stage } from '../../src/explorer/stage.ts';
import { openStage, PLAY_LIMITS } from '../../src/lab/stages/lab-stages.ts';
import { Stages, type StagesLimits } from '../../src/lab/stages/stages.ts';
import { collectLog } from './app.ts';
import { atEnd } from './command.ts';

/** Makes stages with the limits of plays, except the given limits. */
export function makeStages(
  limits: Partial<StagesLimits> = {},
  url = inject('scratchUrl'),
  log = collectLog().log,
) {
  const stages = new Stages(url, { ...PLAY_LIMITS, ...limits }, log, openStage);
  atEnd(() => stages.close());
  return stages;
}

/** The name of the database of a stage. */
export async function databaseOf(stage: Stage): Promise<string> {
  const [row] = await stage.run('select current_database() as name');
  return (row as { name: string }).name;
}
