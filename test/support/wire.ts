import { type Connection, connect } from '../../src/db/client.ts';
import type { Program, Trial } from '../../src/lab/explore/trial.ts';
import { type WireSettings, WireStage } from '../../src/lab/explore/wire/stage.ts';
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
