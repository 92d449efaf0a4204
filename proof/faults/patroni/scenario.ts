import { setTimeout as sleep } from 'node:timers/promises';
import { countedAt, LOOK_MS, untilCalm, untilClaimed, untilReady } from '../recovery.ts';
import type { Scenario, Stage } from '../scenario.ts';
import { underLoad } from '../scenarios/restarts.ts';
import type { Cluster } from './cluster.ts';

/** The load continues for this long after an event, so that late trouble is found. */
const AFTERWARDS_MS = 5_000;
/** The time for which the standby stays frozen. */
const FROZEN_MS = 15_000;

type Event = (cluster: Cluster, stop: AbortSignal) => Promise<void>;

/** Each event resolves when the cluster has a primary again. `untilHealthy` follows each event. */
const EVENTS: Record<string, Event> = {
  async switchover(cluster, stop) {
    const former = await cluster.leader();
    await cluster.switchOver();
    await cluster.untilLedByAnother(former, stop);
  },
  async 'kill -9 of PostgreSQL'(cluster, stop) {
    const former = await cluster.leader();
    former.killPostgres();
    await cluster.untilLedByAnother(former, stop);
  },
  async 'kill -9 of the node'(cluster, stop) {
    const former = await cluster.leader();
    await former.kill();
    await cluster.untilLedByAnother(former, stop);
    former.start();
  },
  async 'freeze and thaw of the node'(cluster, stop) {
    const former = await cluster.leader();
    former.freeze();
    await cluster.untilLedByAnother(former, stop);
    former.thaw();
  },
  async 'freeze and thaw of the synchronous standby'(cluster, stop) {
    const standby = await cluster.synchronousStandby();
    standby.freeze();
    await sleep(FROZEN_MS, undefined, { signal: stop });
    standby.thaw();
  },
};

/** Returns a scenario that makes each event in turn, on three nodes of Patroni. */
const scenario = (name: string, needsCluster: 'hosts' | 'balancer', how: string): Scenario => ({
  name,
  idea: `switchovers, kills and freezes of a cluster of Patroni, reached ${how}`,
  servers: 2,
  needsCluster,
  async faults(stage) {
    const { cluster, settings } = stage;
    if (!cluster) throw new Error('there is no cluster');
    const answeredAgainMs: number[] = [];
    const events: { event: string; withoutClaimMs: number }[] = [];
    for (let round = 0; round < settings.restarts; round++)
      for (const [event, make] of Object.entries(EVENTS)) {
        stage.progress(`${event}, ${round + 1} of ${settings.restarts}`);
        const withoutClaimMs = await during(stage, () => make(cluster, stage.stop), cluster);
        events.push({ event, withoutClaimMs });
        answeredAgainMs.push(withoutClaimMs);
      }
    return { restarts: events.length, answeredAgainMs, events };
  },
});

export const patroni = scenario('patroni', 'hosts', 'by several hosts');
export const patroniBalanced = scenario('patroni, HAProxy', 'balancer', 'through HAProxy');

/** Makes an event under load. Returns the longest time without a granted claim. */
async function during(stage: Stage, make: () => Promise<void>, cluster: Cluster): Promise<number> {
  await underLoad(stage);
  const ended = new AbortController();
  const gap = longestGap(stage, ended.signal);
  try {
    await make();
    const since = countedAt(stage);
    await untilClaimed(stage, since);
    await Promise.all([untilCalm(stage, since), untilReady(stage, since)]);
    await cluster.untilHealthy(stage.stop);
    await sleep(AFTERWARDS_MS, undefined, { signal: stage.stop });
  } finally {
    ended.abort();
  }
  return gap;
}

async function longestGap(stage: Stage, ended: AbortSignal): Promise<number> {
  let { at, claims } = countedAt(stage);
  let longest = 0;
  while (!ended.aborted) {
    await sleep(LOOK_MS);
    const now = countedAt(stage);
    longest = Math.max(longest, now.at - at);
    if (now.claims > claims) ({ at, claims } = now);
  }
  return longest;
}
