import { Fleet } from '../src/explorer/programs/fleet.ts';
import { type ProgramOptions, readProgram } from '../src/lab/programs/options.ts';
import { NAME, programRules } from '../src/lab/programs/program.ts';
import { raceProgramOnce } from '../src/lab/programs/race.ts';
import { addRound, newResult, type RaceOrder } from '../src/lab/race/race.ts';
import type { RequestChapter } from '../src/lab/race/report.ts';
import { openTrack } from '../src/lab/race/track.ts';
import type { Database } from '../src/platform/db/client.ts';
import { UsageError } from '../src/platform/process/errors.ts';
import { withScratchDatabase } from './arena.ts';
import { plain } from './own-program.ts';
import { exitCodeOf, tellRaces } from './tell-races.ts';

/**
 * The number of copies. A lock in the memory of one copy does not protect against the other copy.
 */
const COPIES = 2;

interface Asked extends ProgramOptions {
  order: RaceOrder;
  json: boolean;
}

/** Races copies of a program on a new database, and returns the exit code. */
export function raceProgram(
  chapter: RequestChapter,
  { order, json, ...options }: Asked,
  stop: AbortSignal,
): Promise<number> {
  if (options.schema !== undefined)
    throw new UsageError("A race counts claims in the lab's tables, so it has no --schema.");
  const program = readProgram(options, chapter);
  const { name, command } = program;
  const { path, strategyOf } = programRules(chapter);
  const { idea, promise } = strategyOf(NAME, async () => '');
  const strategy = { chapter: chapter.name, name: NAME, idea, promise };
  const racing = { race: chapter.race, path };
  return withTrack(stop, (url, db) =>
    Fleet.with({ name, command, urls: Array(COPIES).fill(plain(url)) }, stop, async (fleet) => {
      const results = await tellRaces(chapter, [strategy], { order, json }, async (_, onRound) => {
        const result = newResult(strategy);
        for (let done = 1; done <= order.rounds; done++) {
          stop.throwIfAborted();
          const round = await raceProgramOnce(fleet, program, racing, db, order);
          addRound(result, round);
          onRound(round, done);
        }
        return result;
      });
      return exitCodeOf(chapter, results);
    }),
  );
}

const withTrack = <T>(stop: AbortSignal, work: (url: string, db: Database) => Promise<T>) =>
  withScratchDatabase(stop, async (url) => {
    const track = await openTrack(url);
    try {
      return await work(url, track.db);
    } finally {
      await track.close();
    }
  });
