import { Execution } from '../../explorer/execution.ts';
import type { Log } from '../../platform/process/log.ts';
import { print } from '../../platform/process/print.ts';
import type { Chapter, Strategy } from '../chapter.ts';
import type { Addressed } from '../chapters/index.ts';
import type { Judged } from '../judge/judge.ts';
import { readProgram } from '../programs/options.ts';
import { showTables } from '../programs/own-schema.ts';
import { ProgramStage, type ProgramStageOrder } from '../programs/stage.ts';
import { type LabStages, openStages } from '../stages/lab-stages.ts';
import { Stages, type StagesLimits } from '../stages/stages.ts';
import { YOURS } from './messages.ts';
import { chapterOf, type OwnProgram } from './own.ts';

/** The number of copies of the program. The page Play has at most three sessions. */
const SESSIONS = 3;

/**
 * One game or exploration runs at a time, with one copy of the program for each session. The copies
 * stay ready while a person thinks. An exploration may take an hour.
 */
const LIMITS: StagesLimits = {
  places: 1,
  idleMs: 600_000,
  longest: 20,
  waitMs: 5_000,
  answerMs: 3_600_000,
};

export interface ProgramLab extends Addressed {
  stages: LabStages;
}

/**
 * Starts copies of the program. Their connections go through a proxy, the gate, which holds back
 * each statement. Runs each copy once alone. Throws an error of one line if the program does not
 * work. The copies end with the stages.
 */
export async function openProgramLab(
  own: OwnProgram,
  databaseUrl: string,
  log: Log,
  stop: AbortSignal,
): Promise<ProgramLab> {
  const chapter = chapterOf(own);
  const program = readProgram(own.program, chapter);
  const order: ProgramStageOrder = { program, chapter, sessions: SESSIONS, onRemark };
  // A stage that was idle for long is replaced. So only the latest stage can be in use.
  let latest: ProgramStage | undefined;
  const games = new Stages(databaseUrl, LIMITS, log, async (url) => {
    latest = await ProgramStage.open(url, order, stop);
    return latest;
  });
  const others = openStages(databaseUrl, log);
  const close = async () => {
    await Promise.all([games.close(), others.close()]);
  };
  const begin = async (stage: ProgramStage): Promise<Addressed> => {
    await rehearse(stage);
    const tables = program.schema && (await showTables(stage.admin, program.schema));
    const { strategy } = stage.tried;
    const tried = () => (latest ?? stage).tried;
    const shown = { ...chapter, ...stage.tried.chapter, ...tables, trial: trialOf(tried) };
    return { chapter: shown as Chapter, strategy: { ...strategy, name: YOURS, idea: '' } };
  };
  try {
    const begun = await games.use(begin);
    if ('kind' in begun) throw new Error('the only stage is busy');
    return { ...begun, stages: { ...others, plays: games, explorations: games, close } };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Makes trials that are played by the copies of the latest stage. */
const trialOf =
  (tried: () => Judged): Chapter['trial'] =>
  (_: Strategy, situation, sessions) => {
    const { chapter, strategy } = tried();
    return chapter.trial(strategy, situation, sessions);
  };

/** Runs each copy once alone. Throws an error of one line if a copy gives no usable answer. */
async function rehearse(stage: ProgramStage) {
  const { chapter, strategy } = stage.tried;
  const [situation] = chapter.situationsOf(strategy);
  await Execution.start(stage, chapter.trial(strategy, situation, SESSIONS));
}

const onRemark = (remark: string) => print(`${remark}\n`, process.stderr);
