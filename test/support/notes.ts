import postgres from 'postgres';
import { expect } from 'vitest';
import { type Played, replay } from '../../src/explorer/explore.ts';
import type { Trial } from '../../src/explorer/trial.ts';
import { message, text } from '../../src/explorer/wire/messages.ts';
import type { WireStage } from '../../src/explorer/wire/stage.ts';
import { makeWire } from './wire.ts';

type Run = () => Promise<unknown>;

export const query = (said: string): Buffer => message('Q', text(said));

/** A stage with the table `notes`, for programs that may do anything. */
export class Notes {
  readonly wire: WireStage;

  private constructor(wire: WireStage) {
    this.wire = wire;
  }

  static async make(): Promise<Notes> {
    const wire = await makeWire({ patienceMs: 100 });
    const create = 'create table notes (id int primary key)';
    await wire.admin.run({ text: create, params: [], asArrays: false });
    return new Notes(wire);
  }

  get address(): string {
    return this.wire.addresses[0] ?? '';
  }

  trialOf(...sessions: Run[]): Trial {
    return {
      setUp: async (admin) => {
        await admin.run({ text: 'truncate notes', params: [], asArrays: false });
      },
      sessions,
      judge: async (admin) => {
        const count = 'select count(*)::int as n from notes';
        const [row] = await admin.run({ text: count, params: [], asArrays: false });
        return { faults: [], summary: `${(row as { n: number }).n} notes` };
      },
    };
  }

  play(...sessions: Run[]): Promise<Played> {
    return replay(this.wire, this.trialOf(...sessions), []);
  }

  /** Asserts that an ordinary program can still run on the stage after a hostile program. */
  async expectUsable() {
    const ordinary = await this.play(async () => {
      const client = postgres(this.address, { max: 1, fetch_types: false });
      await client`insert into notes values (1)`;
      await client.end();
    });
    expect(ordinary.summary).toBe('1 notes');
  }
}
