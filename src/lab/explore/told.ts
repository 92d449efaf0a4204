/** A schedule in words. Pages and the text transcript show these words. */
export interface ToldSchedule {
  sessions: number;
  /**
   * Each choice is the number of a session, `t` if time passes, or `x1` if S1 loses its connection.
   */
  schedule: string[];
  steps: ToldStep[];
  /** The end of each session, such as `claimed`. Null while the session has not ended. */
  endings: (string | null)[];
  /** The faults that the trial found, and the engine's own: `deadlock`, `error`, `hang`. */
  faults: string[];
  /** The state at the end, in one line. Empty before the end. */
  summary: string;
  /** The whole schedule as text, with a column for each session. */
  transcript: string;
}

/** One choice, and everything that happened until no session moved. */
export interface ToldStep {
  choice: string;
  acts: ToldAct[];
}

export interface ToldAct {
  session: number;
  statement: string;
  /** `completed`: the statement was sent at an earlier step, waited, and came back at this step. */
  progress: 'ran' | 'waits' | 'completed';
  /** The answer to the statement, in a few words. */
  result: string | null;
  /** The commits that the statement's snapshot is too old to see. */
  note: string | null;
  /** The sessions whose locks the statement waits for. */
  waitsFor: number[];
  /** The step at which the statement was sent, from 0. */
  sentAt: number;
}
