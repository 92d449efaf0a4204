import { drizzleDatabases } from '../../explorer/databases.ts';
import { Fleet } from '../../explorer/programs/fleet.ts';
import { WireStage } from '../../explorer/wire/stage.ts';
import type { Judged } from '../judge/judge.ts';
import { assertUsable } from './own-schema.ts';
import { type Program, type ProgramTarget, triedBy } from './program.ts';

export interface ProgramStageOrder extends Pick<ProgramTarget, 'chapter'> {
  program: Program;
  /** The maximum number of sessions. Each session has a copy of the program. */
  sessions: number;
  /** Called with each remark for a person. */
  onRemark: (remark: string) => void;
}

/**
 * A stage that starts copies of a program and holds back their statements. The copies end with the
 * stage.
 */
export class ProgramStage extends WireStage {
  #fleet: Fleet | undefined;
  #tried: Judged | undefined;
  readonly #closed = new AbortController();

  /** Opens a stage. Throws a `UsageError` if the program does not start or its schema is wrong. */
  static async open(
    url: string,
    { program, chapter, sessions, onRemark }: ProgramStageOrder,
    stop: AbortSignal,
  ): Promise<ProgramStage> {
    const stage = new ProgramStage(url, {
      sessions,
      databases: drizzleDatabases(),
      onRemark,
    });
    // The SQL of a person may run for ever. The stop must end this SQL too.
    const { signal } = stage.#closed;
    stop.addEventListener('abort', () => void stage.admin.close(0), { signal });
    try {
      await stage.listen();
      if (program.schema) await assertUsable(stage.admin, program.schema);
      stage.#fleet = await Fleet.start({ ...program, urls: stage.addresses }, stop);
      stage.#tried = triedBy(stage.#fleet, program, { chapter, isRehearsed: true });
      return stage;
    } catch (error) {
      await stage.close();
      throw error;
    }
  }

  /** The program as a strategy. Its trials run only on this stage. */
  get tried(): Judged {
    if (!this.#tried) throw new Error('the stage is not open');
    return this.#tried;
  }

  /** Also replaces copies that have not answered, because they would hold up the next schedule. */
  override async abandon() {
    await super.abandon();
    await this.#fleet?.makeReady();
  }

  override async close() {
    await this.#fleet?.end();
    await super.close();
    this.#closed.abort();
  }
}
