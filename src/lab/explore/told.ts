/** A schedule in words. Pages show these words, and the text transcript is printed from them. */
export interface ToldSchedule {
  sessions: number;
  /** Choices: the number of a session, `t` for time that passes, or `x1` for a cut connection of S1. */
  schedule: string[];
  steps: ToldStep[];
  /** The end of each session, such as `claimed`. Null while the session has not ended. */
  endings: (string | null)[];
  /** The faults that the trial found in it, and `deadlock`, `error` or `hang`. */
  faults: string[];
  /** The state at the end, in a line. Empty before the end. */
  summary: string;
  /** The whole schedule as text, with a column for each session. */
  transcript: string;
}

/** One choice, and everything that happened until nothing moved. */
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
