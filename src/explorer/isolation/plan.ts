import { CLOCK, type Move, type Permutation, permutationOf } from './permutation.ts';
import type { Recorded, Recording } from './record.ts';
import { NotForTester } from './statement.ts';

/** The session that reads the tables at the end of each schedule. */
export const READER = 'reader';

/** A statement of a session of the tester, with the name that permutations use. */
export interface NamedStep {
  session: string;
  name: string;
  sql: string;
}

export interface Planned extends Permutation {
  /** The steps of the tester: one for each move, and the step that reads the tables. */
  steps: NamedStep[];
  /** The rows of the compared tables at the end, as `[table, row]`. */
  rows: string[][];
}

/** All schedules of a recording, as the tester plays them. */
export interface Plan {
  /**
   * The name of the plan: the strategy, the situation and the number of sessions. The last step of
   * every schedule has this name.
   */
  label: string;
  recording: Recording;
  steps: NamedStep[];
  permutations: Planned[];
  /** The schedules that the tester cannot play, with the reason. */
  leftOut: { schedule: string; reason: string }[];
}

export function planOf(recording: Recording, label: string): Plan {
  const plan: Plan = { label, recording, steps: [], permutations: [], leftOut: [] };
  const steps = new Steps(plan.steps);
  const end: NamedStep = { session: READER, name: label, sql: recording.query };
  for (const recorded of recording.schedules) {
    try {
      const permutation = permutationOf(recorded.played, recording.movesTime);
      const named = permutation.moves.map((move) => steps.of(move));
      const rows = rowsOf(recorded, recording.compared);
      plan.permutations.push({ ...permutation, steps: [...named, end], rows });
    } catch (error) {
      if (!(error instanceof NotForTester)) throw error;
      plan.leftOut.push({ schedule: recorded.played.schedule.join(','), reason: error.message });
    }
  }
  plan.steps.push(end);
  return plan;
}

/**
 * Gives names to the statements. The same statement of a session has the same name in all
 * schedules.
 */
class Steps {
  readonly #all: NamedStep[];
  readonly #known = new Map<string, NamedStep>();
  readonly #counts = new Map<string, number>();

  constructor(all: NamedStep[]) {
    this.#all = all;
  }

  of({ session: number, sql }: Pick<Move, 'session' | 'sql'>): NamedStep {
    const session = number === CLOCK ? CLOCK : `s${number}`;
    const key = `${session} ${sql}`;
    const known = this.#known.get(key);
    if (known) return known;
    const count = (this.#counts.get(session) ?? 0) + 1;
    this.#counts.set(session, count);
    const step = { session, name: `${session}_${count}`, sql };
    this.#known.set(key, step);
    this.#all.push(step);
    return step;
  }
}

const rowsOf = ({ tables }: Recorded, compared: readonly string[]): string[][] =>
  compared.flatMap((name) => (tables?.get(name) ?? []).map((row) => [name, row]));
