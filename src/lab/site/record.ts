import type { Stage } from '../../explorer/stage.ts';
import { PlainError } from '../../platform/process/errors.ts';
import type { Situation } from '../chapter.ts';
import { type Addressed, addressOf } from '../chapters/index.ts';
import { type PlayTree, playAll } from '../play/play-all.ts';
import { knownVerdicts } from '../syllabus/known-verdicts.ts';
import { sourcesOf, type Texts } from '../syllabus/source.ts';
import type { Proof } from '../syllabus/verdicts.ts';
import { Recorder, type Recording } from './recording.ts';

/** In a situation with more schedules, only the clearest schedule of each fault is recorded. */
export const MOST_ORDERS = 500;

export interface RecordOptions {
  texts: Texts;
  stop: AbortSignal;
  /** Called after each schedule. */
  onSchedule: () => void;
}

/**
 * Plays one strategy in all its situations, and records every state. The stages share the
 * situations. Throws a `PlainError` if the number of schedules is not the number in
 * verdicts.generated.json.
 */
export async function record(
  stages: readonly Stage[],
  addressed: Addressed,
  options: RecordOptions,
): Promise<Recording> {
  const situations = addressed.chapter.situationsOf(addressed.strategy);
  const waiting = [...situations];
  const played = new Map<Situation, Tree>();
  const playWaiting = async (stage: Stage) => {
    for (let situation = waiting.shift(); situation; situation = waiting.shift())
      played.set(situation, await playIn(stage, addressed, situation, options));
  };
  await Promise.all(stages.map(playWaiting));
  const recorder = new Recorder();
  for (const [situation, { tree, isComplete }] of inOrder(situations, played))
    recorder.add(situation.name, tree, { isComplete });
  return recorder.recording(sourcesOf(addressed, options.texts));
}

interface Tree {
  tree: PlayTree;
  /** Whether every schedule was played. */
  isComplete: boolean;
}

/** Returns the entries in the order of `keys`. The stages end their work in any order. */
const inOrder = <K, V>(keys: readonly K[], values: ReadonlyMap<K, V>): [K, V][] =>
  keys.flatMap((key): [K, V][] => {
    const value = values.get(key);
    return value === undefined ? [] : [[key, value]];
  });

async function playIn(
  stage: Stage,
  addressed: Addressed,
  situation: Situation,
  { stop, onSchedule }: RecordOptions,
): Promise<Tree> {
  const proof = proofOf(addressed, situation);
  const only = clearestOf(proof);
  let schedules = 0;
  const count = () => {
    schedules++;
    onSchedule();
  };
  const asked = { ...addressed, situation };
  const tree = await playAll(stage, asked, { only, stop, onSchedule: count });
  if (only === undefined && schedules !== proof.schedules)
    throw new PlainError(
      `${addressOf(addressed)} in ${situation.name} has ${schedules} schedules, and ` +
        `verdicts.generated.json says ${proof.schedules}. Run npm run matrix.`,
    );
  return { tree, isComplete: only === undefined };
}

function proofOf(addressed: Addressed, { name }: Situation): Proof {
  const proof = knownVerdicts[addressOf(addressed)]?.situations[name];
  if (!proof) throw new PlainError(`${addressOf(addressed)} has no proof. Run npm run matrix.`);
  return proof;
}

/** Returns the schedules to record. Undefined if all schedules are recorded. */
function clearestOf({ schedules, isComplete, clearest }: Proof): string[][] | undefined {
  if (isComplete && schedules <= MOST_ORDERS) return undefined;
  const wanted = Object.values(clearest).map((schedule) => schedule.split(','));
  // Without a fault, one schedule stands for all.
  return wanted.length > 0 ? wanted : [[]];
}
