import { drizzleDatabases } from '../../explorer/databases.ts';
import { Stage } from '../../explorer/stage.ts';
import { dropLeftovers } from '../../platform/postgres/scratch.ts';
import { describe } from '../../platform/process/errors.ts';
import type { Log } from '../../platform/process/log.ts';
import { RaceStage } from '../race/rounds/race-stage.ts';
import type { Trace } from '../race/trace.ts';
import { openTrack } from '../race/track.ts';
import { Boxes } from '../sandbox/box.ts';
import { OF_LESSON } from '../sandbox/limits.ts';
import { prepareLabDatabase, Stages, type StagesLimits } from './stages.ts';

export const openStage = (url: string) => new Stage(url, drizzleDatabases());

const IDLE_MS = 60_000;

/**
 * The limits on plays. A play takes milliseconds. A play that hangs ends itself before `answerMs`.
 */
export const PLAY_LIMITS: StagesLimits = {
  places: 2,
  idleMs: IDLE_MS,
  longest: 50,
  waitMs: 5_000,
  answerMs: 15_000,
};

/**
 * The limits on explorations. An exploration may take an hour, and ends when its last listener
 * leaves.
 */
const EXPLORATION_LIMITS: StagesLimits = {
  places: 1,
  idleMs: IDLE_MS,
  longest: 0,
  waitMs: 0,
  answerMs: 3_600_000,
};

/**
 * The limits on races that the server runs. The time is enough for twenty rounds of two strategies,
 * even if each round waits for the whole lock timeout.
 */
const ROUND_LIMITS: StagesLimits = { ...EXPLORATION_LIMITS, answerMs: 600_000 };

/**
 * The limits on races over HTTP. Only one race runs at a time, since two races would slow each
 * other. If the caller of a race dies, the race ends after ten seconds. `waitMs` is longer than
 * these ten seconds, so other callers can wait for the end of the race.
 */
const TRACK_LIMITS: StagesLimits = {
  places: 1,
  idleMs: IDLE_MS,
  longest: 20,
  waitMs: 15_000,
  answerMs: 120_000,
};

export interface OpenStagesOptions {
  /** The name of the database in the log. */
  name?: string;
  /** Records the races over HTTP. */
  trace?: Trace | undefined;
  /** How many explorations run at the same time. */
  explorations?: number;
  /** How long an unused stage is kept for the next user. */
  idleMs?: number;
}

/**
 * The stages of the lab. Each kind of work has its own stages, so plays never wait for an
 * exploration.
 */
export function openStages(
  databaseUrl: string,
  log: Log,
  { name, trace, explorations: places = 1, idleMs = IDLE_MS }: OpenStagesOptions = {},
) {
  const closing = new AbortController();
  const cleared = clearUp(databaseUrl, log, closing.signal);
  const stages = (limits: StagesLimits) =>
    new Stages(databaseUrl, { ...limits, idleMs }, log, openStage, name);
  const openTraced = async (url: string) => {
    const track = await openTrack(url, trace?.open);
    trace?.watch(url);
    return track;
  };
  const plays = stages(PLAY_LIMITS);
  const explorations = stages({ ...EXPLORATION_LIMITS, places });
  const rounds = new Stages(
    databaseUrl,
    { ...ROUND_LIMITS, idleMs },
    log,
    (url) => new RaceStage(url, drizzleDatabases()),
    name,
  );
  const tracks = new Stages(databaseUrl, TRACK_LIMITS, log, openTraced, name);
  const boxes = new Boxes();
  const lessonBoxes = new Boxes({ limits: OF_LESSON, makeTables: prepareLabDatabase });
  const close = async () => {
    closing.abort();
    await cleared;
    const all = [plays, explorations, rounds, tracks, boxes, lessonBoxes];
    await Promise.all(all.map((each) => each.close()));
  };
  return { plays, explorations, rounds, tracks, boxes, lessonBoxes, close };
}

/** Drops the databases of killed servers in the background. No request waits for this work. */
async function clearUp(databaseUrl: string, log: Log, stop: AbortSignal) {
  const failures = await dropLeftovers(databaseUrl, stop).catch((error) => [describe(error)]);
  if (failures.length === 0 || stop.aborted) return;
  const event = 'scratch databases of killed processes could not be dropped';
  log.error({ event, count: failures.length, error: failures[0] });
}

export type LabStages = ReturnType<typeof openStages>;
