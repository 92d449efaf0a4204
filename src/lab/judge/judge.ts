import { claimScenario, claimSettings } from '../chapters/claims/situations.ts';
import type { Strategy } from '../chapters/claims/strategy.ts';
import { type Exploration, explore, type Played } from '../explore/explore.ts';
import { playFree } from '../explore/free.ts';
import type { Stage } from '../explore/stage.ts';
import { tell } from '../explore/told.ts';

/** One thing that was looked at, and what came of it. */
export interface Check {
  /** What should hold, as a fact. */
  check: string;
  /** The fault that it denies. */
  fault: string;
  holds: boolean;
  /** Of how many schedules or rounds it did not hold in how many. */
  detail: string;
  /** A schedule in which it does not hold. */
  counterexample: { schedule: string; transcript: string } | null;
}

export interface Judgement {
  strategy: string;
  verdict: 'holds' | 'falls' | 'hangs';
  checks: Check[];
}

/** What has to hold in every schedule of every setting: the fault, and the fact that it denies. */
const FACTS = {
  oversold: 'never more claims than slots',
  unsold: 'nobody is turned away while a slot is free',
  untrue: 'every answer is true',
  error: 'no error goes unhandled',
  deadlock: 'nobody is caught in a deadlock',
} as const;

const RACE = { recruiters: 8, capacity: 4, rounds: 10 };

/** Puts a strategy to the proof. `onStep` is told what is being played, in case it never ends. */
export async function judge(
  stage: Stage,
  strategy: Strategy,
  onStep: (where: string) => void,
): Promise<Judgement> {
  const checks: Check[] = [];
  for (const setting of claimSettings) {
    const scenario = claimScenario(strategy, setting, 2);
    const found = await explore(stage, scenario, {
      onStep: (schedule) => onStep(`${setting.name}, schedule ${schedule}`),
    });
    const hang = found.counterexamples.hang;
    if (hang)
      return { strategy: strategy.name, verdict: 'hangs', checks: [hangCheck(setting, hang)] };
    checks.push(...checksOf(setting.idea, found));
  }
  checks.push(await raceCheck(stage, strategy, onStep));
  const verdict = checks.every(({ holds }) => holds) ? 'holds' : 'falls';
  return { strategy: strategy.name, verdict, checks };
}

function checksOf(idea: string, { schedules, faults, counterexamples }: Exploration): Check[] {
  return Object.entries(FACTS).map(([fault, fact]) => {
    const count = faults[fault] ?? 0;
    const played = counterexamples[fault];
    return {
      check: `${idea}: ${fact}`,
      fault,
      holds: count === 0,
      detail:
        count === 0 ? `${schedules} schedules` : `not so in ${count} of ${schedules} schedules`,
      counterexample: played ? shown(played) : null,
    };
  });
}

const hangCheck = ({ idea }: { idea: string }, played: Played): Check => ({
  check: `${idea}: every session ends`,
  fault: 'hang',
  holds: false,
  detail: `${played.summary}, at step ${played.schedule.length} of ${played.schedule.join(',')}`,
  counterexample: shown(played),
});

const shown = (played: Played) => ({
  schedule: played.schedule.join(','),
  transcript: tell(played).transcript,
});

/** A crowd at full speed, on a connection each. */
async function raceCheck(
  stage: Stage,
  strategy: Strategy,
  onStep: (where: string) => void,
): Promise<Check> {
  const setting = { name: 'race', idea: 'a crowd', capacity: RACE.capacity, taken: 0 };
  const found = { oversold: 0, unsold: 0, untrue: 0, error: 0 };
  for (let round = 1; round <= RACE.rounds; round++) {
    onStep(`the race, round ${round}`);
    const { broken, endings } = await playFree(
      stage,
      claimScenario(strategy, setting, RACE.recruiters),
    );
    if (broken.includes('oversold')) found.oversold++;
    if (broken.includes('unsold')) found.unsold++;
    if (broken.includes('untrue')) found.untrue++;
    if (endings.some((ending) => 'error' in ending)) found.error++;
  }
  const counts = Object.entries(found).filter(([, rounds]) => rounds > 0);
  return {
    check: `${RACE.recruiters} recruiters at full speed: as many claims as slots, ${FACTS.untrue}, ${FACTS.error}`,
    fault: counts[0]?.[0] ?? 'oversold',
    holds: counts.length === 0,
    detail: [`${RACE.rounds} rounds`, ...counts.map(([fault, n]) => `${fault} in ${n}`)].join(', '),
    counterexample: null,
  };
}
