import { type Chapter, type Situation, sessionsIn } from '../chapter.ts';
import type { Addressed } from '../chapters/index.ts';
import { type Exploration, explore, inWords, type Played } from '../explore/explore.ts';
import { playFree } from '../explore/free.ts';
import type { Stage } from '../explore/stage.ts';
import { tell } from '../explore/tell.ts';

/** The search for one fault in one situation, or for all faults in a crowd. */
export interface Check {
  /** The fact that should hold. */
  check: string;
  /** The name of the fault that the fact denies. */
  fault: string;
  holds: boolean;
  /** How many schedules or rounds were played, and in how many of them the fact is false. */
  detail: string;
  /** A schedule in which the fact is false. Null if there is none. */
  counterexample: { schedule: string; transcript: string } | null;
}

export interface Judgement {
  strategy: string;
  verdict: 'holds' | 'falls' | 'hangs';
  checks: Check[];
}

const SESSIONS = 2;
const CROWD = { sessions: 8, rounds: 10 };
const HANG = 'hang';

/** Judges a strategy. Calls `onStep` before each step, since a step may never end. */
export async function judge(
  stage: Stage,
  judged: Addressed,
  onStep: (where: string) => void,
): Promise<Judgement> {
  const { chapter, strategy } = judged;
  const checks: Check[] = [];
  for (const situation of chapter.situationsOf(strategy)) {
    const sessions = sessionsIn(situation, SESSIONS);
    const found = await explore(stage, chapter.trial(strategy, situation, sessions), {
      most: situation.most,
      onStep: (schedule) => onStep(`${situation.name}, schedule ${schedule}`),
    });
    const all = checksOf(chapter, situation, found);
    const hangs = all.filter(({ fault, holds }) => fault === HANG && !holds);
    if (hangs.length > 0) return { strategy: strategy.name, verdict: 'hangs', checks: hangs };
    checks.push(...all);
  }
  checks.push(await crowdCheck(stage, judged, onStep));
  const verdict = checks.every(({ holds }) => holds) ? 'holds' : 'falls';
  return { strategy: strategy.name, verdict, checks };
}

const checksOf = ({ faults }: Chapter, { idea }: Situation, found: Exploration): Check[] =>
  faults.map(({ name, fact }) => {
    const played = found.counterexamples[name];
    return {
      check: `${idea}: ${fact}`,
      fault: name,
      holds: played === undefined,
      detail: detailOf(name, played, found),
      counterexample: played ? shown(played) : null,
    };
  });

function detailOf(fault: string, played: Played | undefined, found: Exploration) {
  const { faults } = found;
  const schedules = `${inWords(found)} schedules`;
  if (!played) return schedules;
  if (fault !== HANG) return `false in ${faults[fault]} of ${schedules}`;
  return `${played.summary}, at step ${played.schedule.length} of ${played.schedule.join(',')}`;
}

const shown = (played: Played) => ({
  schedule: played.schedule.join(','),
  transcript: tell(played).transcript,
});

/** Runs many sessions at full speed, each on a connection of its own. */
async function crowdCheck(
  stage: Stage,
  { chapter, strategy }: Addressed,
  onStep: (where: string) => void,
): Promise<Check> {
  const rounds = new Map<string, number>();
  for (let round = 1; round <= CROWD.rounds; round++) {
    onStep(`the crowd, round ${round}`);
    const trial = chapter.trial(strategy, chapter.crowd, CROWD.sessions);
    const { faults, endings } = await playFree(stage, trial);
    const failed = endings.some((ending) => 'error' in ending);
    for (const fault of [...faults, ...(failed ? ['error'] : [])])
      rounds.set(fault, (rounds.get(fault) ?? 0) + 1);
  }
  const found = chapter.faults.filter(({ name }) => rounds.has(name));
  const counts = found.map(({ name }) => `${name} in ${rounds.get(name)}`);
  return {
    check: `${CROWD.sessions} ${chapter.session.many} at full speed: no fault`,
    fault: (found[0] ?? chapter.faults[0]).name,
    holds: rounds.size === 0,
    detail: [`${CROWD.rounds} rounds`, ...counts].join(', '),
    counterexample: null,
  };
}
