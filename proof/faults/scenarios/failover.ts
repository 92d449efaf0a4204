import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../src/platform/waiting/until.ts';
import { kill, type Pair } from '../pair.ts';
import {
  type Counted,
  countedAt,
  LOOK_MS,
  untilCalm,
  untilClaimed,
  untilReady,
  untilStandbyIsLeft,
} from '../recovery.ts';
import type { Scenario, Stage } from '../scenario.ts';
import { underLoad } from './restarts.ts';

/** The service has no primary until 50 requests are answered 503, or for 1.5 s at most. */
const TURNED_AWAY = 50;
const TURNED_AWAY_MS = 1_500;
/** The time for which new connections hang after the primary is lost. */
const HANG_MS = 300;
/**
 * The maximum time until the service has left a frozen host. A fast machine needs less than a
 * second.
 */
const LEFT_WITHIN_MS = 3_000;
/** The time for which the former primary lives on beside the new primary. */
const BOTH_MS = 500;

type SwitchOver = (stage: Stage, pair: Pair) => Promise<Counted>;

/**
 * The faults of a pair. Each round makes the next of the `losses`, and then the switchover `plan`.
 */
interface Faults {
  losses: SwitchOver[];
  plan: SwitchOver;
}

/**
 * Returns a scenario. Each round loses the primary and promotes its standby. Then the round starts
 * a new standby, and makes a planned switchover to the new standby.
 */
const failovers = (
  scenario: Pick<Scenario, 'name' | 'idea' | 'needsPair'>,
  { losses, plan }: Faults,
): Scenario => ({
  ...scenario,
  servers: 2,
  stopsPostgres: true,
  async faults(stage) {
    const { pair, settings, ledger, progress } = stage;
    if (!pair) throw new Error('there is no standby to fail over to');
    const answeredAgainMs: number[] = [];
    const calmAgainMs: number[] = [];
    const make = async (switchOver: SwitchOver) => {
      await underLoad(stage);
      const since = await switchOver(stage, pair);
      const [claimedMs, calmMs] = await Promise.all([
        untilClaimed(stage, since),
        untilCalm(stage, since),
        untilReady(stage, since),
        untilStandbyIsLeft(stage, pair.standby, since),
      ]);
      answeredAgainMs.push(claimedMs);
      calmAgainMs.push(calmMs);
      // After a finding, the scenario stops. A service that has not recovered cannot take load.
      return ledger.findings.length === 0;
    };
    for (let restarts = 0; ; restarts++) {
      const counts = { restarts, answeredAgainMs, calmAgainMs };
      if (restarts === settings.restarts) return counts;
      progress(`${restarts} of ${settings.restarts} failovers`);
      const loss = losses[restarts % losses.length];
      if (!loss || !(await make(loss))) return counts;
      await pair.replaceStandby();
      if (!(await make(plan))) return counts;
    }
  },
});

/**
 * Kills the primary. The relay turns too early: it leads to the lagging standby before the standby
 * is promoted.
 */
async function lose(stage: Stage, pair: Pair): Promise<Counted> {
  await pair.lag();
  await underLoad(stage);
  await kill(pair.primary);
  pair.relay.turn(pair.standby.url);
  await untilTurnedAway(stage);
  await pair.promote();
  return countedAt(stage);
}

/**
 * Promotes the standby while the former primary still lives. No standby confirms the former
 * primary's commits any more. Then the former primary is killed, and new connections hang for a
 * moment, as if the machine of the former primary were lost.
 */
async function loseLate(stage: Stage, pair: Pair): Promise<Counted> {
  const former = pair.primary;
  await pair.promote();
  await sleep(BOTH_MS);
  pair.relay.hang(true);
  await kill(former);
  await sleep(HANG_MS);
  pair.relay.hang(false);
  pair.relay.turn(pair.primary.url);
  return countedAt(stage);
}

/**
 * Makes a planned switchover. The relay turns too late: for a while it still leads to the former
 * primary, which is now a standby.
 */
async function plan(stage: Stage, pair: Pair): Promise<Counted> {
  await pair.switchOver();
  await untilTurnedAway(stage);
  pair.relay.turn(pair.primary.url);
  return countedAt(stage);
}

/** Kills the primary. For a moment there is no primary. Then the lagging standby is promoted. */
async function kills(stage: Stage, pair: Pair): Promise<Counted> {
  await pair.lag();
  await underLoad(stage);
  await kill(pair.primary);
  await untilTurnedAway(stage);
  await pair.promote();
  return countedAt(stage);
}

/**
 * Freezes the primary, and promotes its standby. The frozen primary closes no connection, and still
 * accepts new connections. The primary stays frozen until a new standby replaces it.
 */
async function freezes(stage: Stage, pair: Pair): Promise<Counted> {
  pair.roadTo(pair.primary).freeze(true);
  const since = countedAt(stage);
  await pair.promote();
  await untilStandbyIsLeft(stage, pair.standby, countedAt(stage), LEFT_WITHIN_MS);
  return since;
}

/** Makes a planned switchover. */
async function plans(stage: Stage, pair: Pair): Promise<Counted> {
  await pair.switchOver();
  return countedAt(stage);
}

async function untilTurnedAway(stage: Stage) {
  const enough = countedAt(stage).turnedAway + TURNED_AWAY;
  const isEnough = () => countedAt(stage).turnedAway >= enough;
  await until(isEnough, { everyMs: LOOK_MS, withinMs: TURNED_AWAY_MS, stop: stage.stop });
}

export const failover = failovers(
  {
    name: 'failover',
    idea: 'the primary killed by SIGKILL and its standby promoted; then a planned switchover, behind a balancer',
    needsPair: 'balancer',
  },
  { losses: [lose, loseLate], plan },
);

/** The servers know both hosts. There is no balancer. */
export const failoverByHosts = failovers(
  {
    name: 'failover, hosts',
    idea: 'the primary killed or frozen and its standby promoted; then a planned switchover, with both hosts in DATABASE_URL',
    needsPair: 'hosts',
  },
  { losses: [freezes, kills], plan: plans },
);
