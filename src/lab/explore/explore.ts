import { databaseError, SQLSTATE } from '../../db/sqlstate.ts';
import { type Entry, Execution, Hang } from './execution.ts';
import type { StepModel } from './gate.ts';
import { type Ending, isSurprise, type Scenario } from './scenario.ts';
import type { Stage } from './stage.ts';

/** One schedule, played to its end. */
export interface Played {
  /** How many sessions took part. */
  sessions: number;
  schedule: string[];
  entries: Entry[];
  endings: Ending[];
  /** What is wrong with it: the scenario's invariants, `deadlock`, `error` or `hang`. */
  faults: string[];
  serializationFailure: boolean;
  /** The state at the end, in a line. */
  summary: string;
}

export interface Exploration {
  schedules: number;
  /** In how many schedules each fault was found. */
  faults: Record<string, number>;
  serializationFailures: number;
  /** For each fault the schedule that shows it best: fewest switches, then fewest steps. */
  counterexamples: Record<string, Played>;
  milliseconds: number;
}

/** A schedule did not do the same when it was played again: nothing that was counted holds. */
export class Divergence extends Error {
  override name = 'Divergence';
}

/** A point at which the scheduler had to choose. */
interface Fork {
  choices: string[];
  chosen: number;
  /** What had happened up to here, to be sure that it happens again. */
  trace: string;
}

/** Plays every schedule of a scenario, each from the beginning, and counts what was wrong. */
export async function explore(
  stage: Stage,
  scenario: Scenario,
  options: { model?: StepModel; onSchedule?: (schedules: number) => void; stop?: AbortSignal } = {},
): Promise<Exploration> {
  const startedAt = performance.now();
  const found: Exploration = {
    schedules: 0,
    faults: {},
    serializationFailures: 0,
    counterexamples: {},
    milliseconds: 0,
  };
  const forks: Fork[] = [];
  do {
    options.stop?.throwIfAborted();
    const played = await play(stage, scenario, options.model, (execution) =>
      nextOf(forks, execution),
    );
    count(found, played);
    options.onSchedule?.(found.schedules);
    // What hangs once would hang, for its whole bound, in most of the other schedules too.
    if (played.faults.includes('hang')) break;
  } while (advance(forks));
  found.milliseconds = Math.round(performance.now() - startedAt);
  return found;
}

/** Plays one schedule; where it is too short to reach the end, the lowest choice goes on. */
export function replay(stage: Stage, scenario: Scenario, schedule: string[]): Promise<Played> {
  return play(stage, scenario, undefined, (execution) => {
    const wanted = schedule[execution.entries.length];
    const choices = execution.choices();
    if (wanted === undefined) return choices[0];
    if (choices.includes(wanted)) return wanted;
    throw new Divergence(
      `Step ${execution.entries.length + 1} of the schedule is ${wanted}, but only ` +
        `${choices.join(', ') || 'nothing'} can go on there.`,
    );
  });
}

async function play(
  stage: Stage,
  scenario: Scenario,
  model: StepModel | undefined,
  choose: (execution: Execution) => string | undefined,
): Promise<Played> {
  const execution = await Execution.start(stage, scenario, model);
  try {
    for (let choice = choose(execution); choice !== undefined; choice = choose(execution))
      await execution.step(choice);
    const stuck = await execution.stuck();
    if (stuck.length > 0) throw new Hang(`session ${stuck.map((each) => each.number)} never ended`);
    return await assess(execution);
  } catch (error) {
    await stage.abandon();
    if (!(error instanceof Hang)) throw error;
    return { ...partsOf(execution), endings: [], faults: ['hang'], summary: error.message };
  }
}

async function assess(execution: Execution): Promise<Played> {
  const { broken, summary } = await execution.judge();
  const endings = execution.actors.map(({ ending }) => ending as Ending);
  const parts = partsOf(execution);
  const faults = [...broken];
  if (hasCode(parts.entries, SQLSTATE.deadlockDetected)) faults.push('deadlock');
  if (endings.some(isSurprise)) faults.push('error');
  return { ...parts, endings, faults, summary };
}

const partsOf = ({ actors, entries }: Execution) => ({
  sessions: actors.length,
  schedule: entries.map(({ choice }) => choice),
  entries,
  serializationFailure: hasCode(entries, SQLSTATE.serializationFailure),
});

const hasCode = (entries: Entry[], code: string) =>
  entries.some(({ acts }) =>
    acts.some(
      ({ result }) => result && 'error' in result && databaseError(result.error)?.code === code,
    ),
  );

/** The next choice: as in the schedule before up to the last fork, the first choice beyond it. */
function nextOf(forks: Fork[], execution: Execution): string | undefined {
  const choices = execution.choices();
  if (choices.length === 0) return undefined;
  const trace = traceOf(execution);
  const fork = forks[execution.entries.length];
  if (fork === undefined) {
    forks.push({ choices, chosen: 0, trace });
    return choices[0];
  }
  if (fork.trace !== trace || fork.choices.join() !== choices.join())
    throw new Divergence(
      `Played again, the schedule ${execution.entries.map(({ choice }) => choice)} went another way: ` +
        `${trace} can be followed by ${choices}, and was ${fork.trace}, followed by ${fork.choices}.`,
    );
  return choices[fork.chosen];
}

/** Moves the deepest fork that has a choice left on to it; false when none has. */
function advance(forks: Fork[]): boolean {
  for (let fork = forks.pop(); fork !== undefined; fork = forks.pop()) {
    if (++fork.chosen < fork.choices.length) {
      forks.push(fork);
      return true;
    }
  }
  return false;
}

/** The last entry in short: who came back with how much, and who waits for whom. */
function traceOf({ entries }: Execution): string {
  const acts = entries.at(-1)?.acts ?? [];
  const short = acts.map(({ session, step, result, waitsFor }) => {
    if (!result) return `${session} waits for ${waitsFor} with ${step.text}`;
    const outcome = 'rows' in result ? result.rows.length : databaseError(result.error)?.code;
    return `${session} gets ${outcome} for ${step.text}`;
  });
  return short.join('; ');
}

function count(found: Exploration, played: Played) {
  found.schedules++;
  if (played.serializationFailure) found.serializationFailures++;
  for (const fault of played.faults) {
    found.faults[fault] = (found.faults[fault] ?? 0) + 1;
    const best = found.counterexamples[fault];
    if (best === undefined || isClearer(played, best)) found.counterexamples[fault] = played;
  }
}

/** Fewest switches between sessions first, then fewest steps. */
function isClearer(a: Played, b: Played): boolean {
  const switches = ({ schedule }: Played) =>
    schedule.filter((choice, index) => index > 0 && choice !== schedule[index - 1]).length;
  return (
    switches(a) - switches(b) < 0 ||
    (switches(a) === switches(b) && a.schedule.length < b.schedule.length)
  );
}
