import { expect } from 'vitest';
import { type Connection, connect } from '../../src/db/client.ts';
import { strategies } from '../../src/lab/chapters/claims/strategies/index.ts';
import { explore } from '../../src/lab/explore/explore.ts';
import type { Program, Trial } from '../../src/lab/explore/trial.ts';
import { type WireSettings, WireStage } from '../../src/lab/explore/wire/stage.ts';
import { knownVerdicts } from '../../src/lab/syllabus/known-verdicts.ts';
import { trialOf } from './claims-chapter.ts';
import { atEnd } from './command.ts';
import { makeLabDatabase } from './database.ts';

/** Makes a stage on a new database, with an address for each session. */
export async function makeWire(settings: Partial<WireSettings> = {}): Promise<WireStage> {
  const url = await makeLabDatabase();
  const stage = new WireStage(url, { sessions: 2, hasLabTime: true, ...settings });
  atEnd(() => stage.close());
  await stage.listen();
  return stage;
}

/** The same trial, but the programs of each session use a client that connects to its address. */
export function throughWire(stage: WireStage, trial: Trial): Trial {
  const programs = trial.sessions.map((program, index): Program => {
    const { db } = clientOf(stage, index);
    // Each run begins without memory. Strategies keep what they remember by their `db`.
    return (_, sleep, effect, lend) => program(Object.create(db), sleep, effect, lend);
  });
  return { ...trial, sessions: programs };
}

const clients = new Map<string, Connection>();

function clientOf(stage: WireStage, index: number): Connection {
  const address = stage.addresses[index] ?? '';
  const client = clients.get(address) ?? connect(address, { connections: 1 });
  if (!clients.has(address)) atEnd(() => client.close());
  clients.set(address, client);
  return client;
}

export const proofOf = (name: string, situation: string) =>
  knownVerdicts[`claims/${name}`]?.situations[situation] ?? expect.fail('there is no verdict');

/** Plays every schedule. The counts must be those of the gate below Drizzle. */
export async function expectCounts(stage: WireStage, name: string, situation: string) {
  const found = await explore(stage, throughWire(stage, trialOf(name, situation)));
  const { schedules, faults } = proofOf(name, situation);
  expect([found.schedules, found.faults]).toEqual([schedules, faults]);
}

const schedulesOf = (name: string) => proofOf(name, 'first-slot').schedules;
/** This strategy waits in memory, since in the tests all programs are in one process. */
const isQuick = (name: string) => schedulesOf(name) < 20 && name !== 'mutex';
const small = strategies.map(({ name }) => name).filter((name) => schedulesOf(name) <= 24);

/** The strategies with few schedules. The campaigns play all schedules of all strategies. */
export const firstSlotByTier = {
  fast: small.filter(isQuick),
  slow: small.filter((name) => !isQuick(name)),
};
