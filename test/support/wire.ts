import { expect } from 'vitest';
import { drizzleDatabases } from '../../src/explorer/databases.ts';
import { explore } from '../../src/explorer/explore.ts';
import type { Program, Trial } from '../../src/explorer/trial.ts';
import { type WireSettings, WireStage } from '../../src/explorer/wire/stage.ts';
import { strategies } from '../../src/lab/chapters/claims/strategies/index.ts';
import { knownVerdicts } from '../../src/lab/syllabus/known-verdicts.ts';
import { connect, type DatabaseConnection } from '../../src/platform/db/client.ts';
import { trialOf } from './claims-chapter.ts';
import { atEnd } from './command.ts';
import { makeLabDatabase } from './database.ts';

/** Makes a stage on a new database, with an address for each session. */
export async function makeWire(settings: Partial<WireSettings> = {}): Promise<WireStage> {
  const url = await makeLabDatabase();
  const stage = new WireStage(url, {
    sessions: 2,
    databases: drizzleDatabases(),
    hasLabTime: true,
    ...settings,
  });
  atEnd(() => stage.close());
  await stage.listen();
  return stage;
}

/** Returns the same trial, but each program uses a client at the address of its session. */
export function throughWire(stage: WireStage, trial: Trial): Trial {
  const programs = trial.sessions.map((program, index): Program => {
    const { db } = clientOf(stage, index);
    // Strategies remember things by their `db`. With a new `db`, each run begins without memory.
    return (_, sleep, effect, lend) => program(Object.create(db), sleep, effect, lend);
  });
  return { ...trial, sessions: programs };
}

const clients = new Map<string, DatabaseConnection>();

function clientOf(stage: WireStage, index: number): DatabaseConnection {
  const address = stage.addresses[index] ?? '';
  // The scheduler may hold back an answer for as long as it likes.
  const patient = { connections: 1, answerTimeoutMs: Number.POSITIVE_INFINITY };
  const client = clients.get(address) ?? connect(address, patient);
  if (!clients.has(address)) atEnd(() => client.close());
  clients.set(address, client);
  return client;
}

export const proofOf = (name: string, situation: string) =>
  knownVerdicts[`claims/${name}`]?.situations[situation] ?? expect.fail('there is no verdict');

/** Plays every schedule on the wire. Asserts that the counts are those of docs/strategies.md. */
export async function expectCounts(stage: WireStage, name: string, situation: string) {
  const found = await explore(stage, throughWire(stage, trialOf(name, situation)));
  const { schedules, faults } = proofOf(name, situation);
  expect([found.schedules, found.faults]).toEqual([schedules, faults]);
}

const schedulesOf = (name: string) => proofOf(name, 'first-slot').schedules;
/**
 * Returns whether a strategy is quick. `mutex` is slow. All programs share a process, so its
 * sessions wait in memory, and the stage notices such a wait only after a timeout.
 */
const isQuick = (name: string) => schedulesOf(name) < 20 && name !== 'mutex';
const small = strategies.map(({ name }) => name).filter((name) => schedulesOf(name) <= 24);

/** The strategies with few schedules. The campaigns play all schedules of all strategies. */
export const firstSlotByTier = {
  fast: small.filter(isQuick),
  slow: small.filter((name) => !isQuick(name)),
};
