import { settle } from '../claims/settle.ts';
import { connect } from '../db/client.ts';
import { claimScenario, claimSettings } from './claim-scenarios.ts';
import { type Exploration, explore, type Played } from './explore/explore.ts';
import type { Stage } from './explore/stage.ts';
import { transcript } from './explore/transcript.ts';
import { isOversold } from './invariants.ts';
import { clearTrack, layTrack, readTrack } from './race-track.ts';
import type { Strategy } from './strategy.ts';

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
  error: 'no error goes unhandled',
  deadlock: 'nobody is caught in a deadlock',
} as const;

const RACE = { recruiters: 8, capacity: 4, rounds: 10 };
const RACE_CONNECTIONS = 8;
/** A claim takes milliseconds; one that takes this long does not end. */
const RACE_PATIENCE_MS = 10_000;

/** Puts a strategy to the proof. `onStep` is told what is being played, in case it never ends. */
export async function judge(
  stage: Stage,
  databaseUrl: string,
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
  // A crowd in a deadlock waits a second for each of its members, and shows nothing new.
  if (checks.every(({ fault, holds }) => holds || fault !== 'deadlock'))
    checks.push(await raceCheck(databaseUrl, strategy, onStep));
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
  transcript: transcript(played),
});

/** The free scheduler: a crowd at full speed, each on a connection of its own. */
async function raceCheck(
  databaseUrl: string,
  strategy: Strategy,
  onStep: (where: string) => void,
): Promise<Check> {
  const { db, close } = connect(databaseUrl, { connections: RACE_CONNECTIONS });
  let oversold = 0;
  let errors = 0;
  try {
    for (let round = 0; round < RACE.rounds; round++) {
      onStep(`the race, round ${round + 1}`);
      const { jobId, recruiterIds } = await layTrack(db, RACE);
      const claims = recruiterIds.map((recruiterId) =>
        inTime(settle(strategy.claim(db, { jobId, recruiterId }))),
      );
      const ended = await Promise.allSettled(claims);
      errors += ended.filter(({ status }) => status === 'rejected').length;
      const standing = await readTrack(db, jobId);
      if (standing && isOversold(standing)) oversold++;
      await clearTrack(db, jobId);
    }
  } finally {
    await close();
  }
  return {
    fault: oversold > 0 ? 'oversold' : 'error',
    check: `${RACE.recruiters} recruiters at full speed: ${FACTS.oversold}, and ${FACTS.error}`,
    holds: oversold === 0 && errors === 0,
    detail: `${RACE.rounds} rounds, ${oversold} oversold, ${errors} errors`,
    counterexample: null,
  };
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('a claim did not end')), RACE_PATIENCE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
