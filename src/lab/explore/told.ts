/** A schedule in words: what is shown of it anywhere, and what the text transcript is printed from. */
export interface ToldSchedule {
  sessions: number;
  /** The choices: a session's number, `t` where time passes, `x` and a number for a cut connection. */
  schedule: string[];
  steps: ToldStep[];
  /** What each session came to, such as `claimed`; null while it has not ended. */
  endings: (string | null)[];
  /** The faults that the trial found in it, and `deadlock`, `error` or `hang`. */
  faults: string[];
  /** The state at the end, in a line; empty while there is no end. */
  summary: string;
  /** All of it as text, a column for each session. */
  transcript: string;
}

/** One choice, and all that it brought about. */
export interface ToldStep {
  choice: string;
  acts: ToldAct[];
}

export interface ToldAct {
  session: number;
  statement: string;
  /** `completed`: sent at an earlier step, where it had to wait, and come back in this one. */
  progress: 'ran' | 'waits' | 'completed';
  /** What came back, in a few words. */
  result: string | null;
  /** What the statement's snapshot was too old to see. */
  note: string | null;
  /** The sessions whose locks it waits for. */
  waitsFor: number[];
  /** The step at which it was sent, from 0. */
  sentAt: number;
}
