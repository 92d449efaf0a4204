import { sessionsIn } from '../chapter.ts';
import { addressOf } from '../chapters/index.ts';
import { replay } from '../explore/explore.ts';
import type { Stage } from '../explore/stage.ts';
import { tell } from '../explore/tell.ts';
import { knownVerdicts } from '../syllabus/known-verdicts.ts';
import type { Proof } from '../syllabus/verdicts.ts';
import type { Asked, Explored, Question } from './exploration.ts';

/** The proof in verdicts.json, if it answers this question. */
const proofOf = (asked: Asked): Proof | undefined =>
  asked.sessions === sessionsIn(asked.situation, 2)
    ? knownVerdicts[addressOf(asked)]?.situations[asked.situation.name]
    : undefined;

/** Whether every schedule was explored before, with the result in verdicts.json. */
export const isKnown = (asked: Asked): boolean => proofOf(asked) !== undefined;

/** Answers a known question. Plays only the clearest schedule of the gravest fault. */
export async function tellKnown(
  stage: Stage,
  asked: Asked,
): Promise<Omit<Explored, keyof Question>> {
  const { chapter, strategy, situation, sessions } = asked;
  const proof = proofOf(asked);
  if (!proof) throw new Error('nobody has explored this');
  const { clearest, ...counted } = proof;
  const gravest = chapter.faults.find(({ name }) => clearest[name] !== undefined);
  const schedule = gravest && clearest[gravest.name]?.split(',');
  const began = performance.now();
  const played =
    schedule && (await replay(stage, chapter.trial(strategy, situation, sessions), schedule));
  return {
    ...counted,
    counterexample: played ? tell(played) : null,
    milliseconds: Math.round(performance.now() - began),
  };
}
