/** A schedule in words. Pages and the text transcript show these words. */
export interface ToldSchedule {
  sessions: number;
  /** The names of the sessions. Undefined if the sessions have only numbers. */
  names?: readonly string[];
  /** The choices of the scheduler, such as `1`, `t` or `k1`. `Choices` explains them. */
  schedule: string[];
  steps: ToldStep[];
  /** The end of each session, such as `claimed`. Null while the session has not ended. */
  endings: (string | null)[];
  /** The end of the program that ran afterwards. Null if no program ran afterwards. */
  afterwards: string | null;
  /**
   * The faults that the trial found, and the explorer's own faults `deadlock`, `error` and `hang`.
   */
  faults: string[];
  /** The state at the end, in one line. Empty before the end. */
  summary: string;
  /** The whole schedule as text, with a column for each session. */
  transcript: string;
}

/** One choice, and everything that happened until no session moved. */
export interface ToldStep {
  /** Empty after the end of the sessions, since the scheduler has no choice there. */
  choice: string;
  /**
   * An event in words, such as `the process of S1 dies`. Null if a session makes an ordinary step.
   */
  event: string | null;
  /** The sessions whose process dies at this step. */
  dead: number[];
  /** The sessions that end at this step. */
  ended: number[];
  acts: ToldAct[];
  /** The words for a session that sends no statement. Null if there is a statement or an event. */
  silence: 'waits in memory' | 'ends' | null;
}

export interface ToldAct {
  session: number;
  /** The statement, or the words of the effect. */
  statement: string;
  /** Whether the step did something outside the database. */
  isEffect: boolean;
  /** Whether the step read or wrote the memory of its process. */
  isInMemory: boolean;
  /**
   * Whether the effect stays for ever, such as a mail. A key in a store does not stay, since it
   * expires.
   */
  stays: boolean;
  /** `completed`: the statement was sent at an earlier step, waited, and came back at this step. */
  progress: 'ran' | 'waits' | 'completed';
  /** The answer to the statement, in a few words. */
  result: string | null;
  /**
   * A remark on the act. For example, the remark names commits that the statement does not see,
   * because its snapshot is too old.
   */
  note: string | null;
  /** The sessions whose locks the statement waits for. */
  waitsFor: number[];
  /** The step at which the statement was sent, from 0. */
  sentAt: number;
}
