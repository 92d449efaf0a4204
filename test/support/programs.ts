import { cpSync } from 'node:fs';
import path from 'node:path';
import {
  type Exploration,
  type ExploreOptions,
  explore,
  type Played,
  replay,
} from '../../src/explorer/explore.ts';
import type { Stage } from '../../src/explorer/stage.ts';
import type { Trial } from '../../src/explorer/trial.ts';
import { claims } from '../../src/lab/chapters/claims/index.ts';
import { type ProgramOptions, readProgram } from '../../src/lab/programs/options.ts';
import { ProgramStage } from '../../src/lab/programs/stage.ts';
import { installLocked } from '../../src/platform/process/npm-ci.ts';
import { inProject } from '../../src/platform/process/project.ts';
import { makeLabDatabase } from './database.ts';

const SESSIONS = 2;
const never = new AbortController().signal;

/** Runs the work with a trial of a program in its first situation. The program uses our proxy. */
export async function withTrial<T>(
  options: ProgramOptions,
  work: (stage: Stage, trial: Trial) => Promise<T>,
): Promise<T> {
  const program = readProgram(options, claims);
  const order = { program, chapter: claims, sessions: SESSIONS, onRemark: () => undefined };
  const stage = await ProgramStage.open(await makeLabDatabase(), order, never);
  try {
    const { chapter, strategy } = stage.tried;
    const [situation] = chapter.situationsOf(strategy);
    return await work(stage, chapter.trial(strategy, situation, SESSIONS));
  } finally {
    await stage.close();
  }
}

/** Plays the schedules of a program. */
export const exploreProgram = (
  options: ProgramOptions,
  how?: ExploreOptions,
): Promise<Exploration> => withTrial(options, (stage, trial) => explore(stage, trial, how));

/** Plays one schedule again and again. */
export async function replayAgain(
  stage: Stage,
  trial: Trial,
  { schedule }: Pick<Played, 'schedule'>,
  times: number,
): Promise<Played[]> {
  const played: Played[] = [];
  for (let done = 0; done < times; done++) played.push(await replay(stage, trial, schedule));
  return played;
}

const EXAMPLES = inProject('examples/any-language');

/**
 * Installs the libraries, and copies the examples into the same folder. Returns this folder. The
 * install takes some seconds. Later calls do not install again.
 */
export async function installLibraries(): Promise<string> {
  const folder = await installLocked(
    {
      folder: EXAMPLES,
      what: 'the libraries that the gate on the wire is tried with',
      onInstall: () => process.stderr.write('installing Knex, Sequelize, TypeORM and others\n'),
    },
    never,
  );
  for (const name of ['node', 'published'])
    cpSync(path.join(EXAMPLES, name), path.join(folder, name), { recursive: true });
  return folder;
}
