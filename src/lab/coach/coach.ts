import { PlainError } from '../../platform/process/errors.ts';
import type { AttemptResult } from '../lessons/attempt-strategy.ts';
import type { Lesson } from '../lessons/lesson.ts';
import { watchText } from '../own/watch.ts';
import type { Desk, Progress } from './desk.ts';
import type { Examiner } from './examiner.ts';
import { draw, type Paint } from './screen.ts';

/** The parts that the coach uses: the lessons, the student's files, the examiner and the screen. */
export interface Room {
  lessons: readonly Lesson[];
  desk: Desk;
  examiner: Examiner;
  paint: Paint;
  /** How many characters fit into a line. */
  width(): number;
  /** Replaces the text on the screen. `isInterim` says that another text follows soon. */
  show(text: string, isInterim: boolean): void;
}

/** A key that the student must press twice, since it may lose work or skip a lesson. */
type Twice = 'n' | 'r';

/** The keys that do not close the list of lessons. A number and Enter open another lesson. */
const STAYS = /^[lq\d\r\n\b\x7f]$/i;
const ENTER = /^[\r\n]$/;
const BACKSPACE = /^[\b\x7f]$/;

/** Leads one student through the lessons, and tries the student's file after each save. */
export class Coach {
  readonly #room: Room;
  readonly #progress: Progress;
  #lesson: Lesson;
  #file: string;
  #attempt: AttemptResult | undefined;
  #where: string | undefined;
  #printed: string | undefined;
  #message = '';
  /** The reason why the progress cannot be written. Undefined if it can be written. */
  #unwritten: string | undefined;
  #page: 'lesson' | 'list' = 'lesson';
  #asked: Twice | undefined;
  /** The number of a lesson that the student types in the list. */
  #typed = '';
  #unwatch = () => {};
  #trial = new AbortController();
  readonly #quit: () => void;
  /** Resolves when the student quits. */
  readonly left: Promise<void>;

  constructor(room: Room, progress: Progress, lesson: Lesson) {
    this.#room = room;
    this.#progress = progress;
    this.#lesson = lesson;
    this.#file = room.desk.fileOf(lesson);
    let quit = () => {};
    this.left = new Promise((resolve) => {
      quit = resolve;
    });
    this.#quit = quit;
    this.#enter(lesson);
  }

  /** Opens a lesson. The file is not tried before the student has predicted. */
  #enter(lesson: Lesson) {
    const file = this.#room.desk.fileOf(lesson);
    this.#endTrial();
    this.#lesson = lesson;
    this.#file = file;
    this.#attempt = undefined;
    this.#page = 'lesson';
    this.#unwatch();
    this.#unwatch = watchText(this.#file, () => this.#saved());
    this.#write({ lesson: lesson.number });
    if (this.#hasPredicted()) this.#try();
    this.show();
  }

  #hasPredicted = () => this.#progress.predicted[this.#lesson.number] !== undefined;

  /**
   * Writes the progress. If the write fails, for example with a full disk, the student can still
   * work.
   */
  #write(changed: Partial<Progress>) {
    Object.assign(this.#progress, changed);
    this.#unwritten = unlessPlain(() => {
      Object.assign(this.#progress, this.#room.desk.writeProgress(this.#progress));
    });
  }

  press(key: string) {
    const asked = this.#asked;
    this.#asked = undefined;
    this.#message = '';
    if (this.#page === 'list' && STAYS.test(key) && this.#choose(key)) return this.show();
    this.#typed = '';
    const act = this.#keys[key.toLowerCase()];
    if (!STAYS.test(key)) this.#page = 'lesson';
    if (act) act(asked);
    else this.#other(key);
    this.show();
  }

  readonly #keys: Record<string, (asked: Twice | undefined) => void> = {
    h: () => this.#hint(),
    n: (asked) => this.#next(asked === 'n'),
    l: () => {
      this.#page = this.#page === 'list' ? 'lesson' : 'list';
    },
    r: (asked) => this.#restore(asked === 'r'),
    q: () => this.#quit(),
  };

  /** Handles a key of the list. Returns false for a key that the list does not handle. */
  #choose(key: string): boolean {
    if (/^\d$/.test(key)) {
      this.#typed = `${this.#typed}${key}`.slice(-2);
      this.#message = `Press Enter to open lesson ${Number(this.#typed)}.`;
      return true;
    }
    if (BACKSPACE.test(key)) {
      this.#typed = this.#typed.slice(0, -1);
      this.#message = this.#typed && `Press Enter to open lesson ${Number(this.#typed)}.`;
      return true;
    }
    if (!ENTER.test(key)) return false;
    const wanted = Number(this.#typed);
    const lesson = this.#room.lessons.find(({ number }) => number === wanted);
    if (this.#typed === '') this.#message = 'Type the number of a lesson first.';
    else if (!lesson) this.#message = `There is no lesson ${wanted}.`;
    else this.#message = unlessPlain(() => this.#enter(lesson)) ?? '';
    this.#typed = '';
    return true;
  }

  /**
   * Handles all other keys. Before the first prediction of a lesson, a letter is the prediction.
   */
  #other(key: string) {
    const letter = key.toUpperCase();
    const { choices } = this.#lesson.question;
    const isChoice = choices.some((each) => each.letter === letter);
    if (!isChoice) this.#message = `The key ${JSON.stringify(key)} does nothing here.`;
    else if (this.#hasPredicted())
      this.#message = 'You have predicted already. Only your first prediction counts.';
    else {
      const { predicted } = this.#progress;
      this.#write({ predicted: { ...predicted, [this.#lesson.number]: letter } });
      this.#try();
    }
  }

  #hint() {
    const { hints } = this.#progress;
    const used = hints[this.#lesson.number] ?? 0;
    if (!this.#hasPredicted())
      this.#message = 'Predict first. A wrong prediction teaches the most.';
    else if (used >= this.#lesson.hints.length) this.#message = 'There are no more hints.';
    else this.#write({ hints: { ...hints, [this.#lesson.number]: used + 1 } });
  }

  #next(isSure: boolean) {
    const next = this.#room.lessons.find(({ number }) => number === this.#lesson.number + 1);
    const isSolved = this.#progress.solved.includes(this.#lesson.number);
    if (!next) this.#message = 'This is the last lesson.';
    else if (isSolved || isSure) this.#message = unlessPlain(() => this.#enter(next)) ?? '';
    else {
      this.#asked = 'n';
      this.#message = `Lesson ${this.#lesson.number} is not solved. Press n again to go on.`;
    }
  }

  #restore(isSure: boolean) {
    if (isSure) {
      const problem = unlessPlain(() => this.#room.desk.restore(this.#lesson));
      this.#message = problem ?? 'Your file is the starter again.';
    } else {
      this.#asked = 'r';
      this.#message = 'This removes your changes to the file. Press r again to do it.';
    }
  }

  #saved() {
    if (this.#hasPredicted()) this.#try();
    else this.#message = 'Predict first. Then your file is tried.';
    this.show();
  }

  /**
   * Tries the file. Ends an earlier trial that still runs, since that trial uses an old text of the
   * file.
   */
  #try() {
    this.#endTrial();
    this.#attempt = undefined;
    this.#printed = undefined;
    const problem = this.#room.desk.problemOf(this.#file);
    if (problem !== undefined) {
      this.#attempt = { kind: 'unusable', line: problem };
      return;
    }
    this.#trial = new AbortController();
    this.#where = 'starting';
    void this.#examine(this.#lesson, this.#trial.signal);
  }

  async #examine(lesson: Lesson, stop: AbortSignal) {
    const { examiner } = this.#room;
    const hear =
      <T>(act: (heard: T) => void) =>
      (heard: T) => {
        if (stop.aborted) return;
        act(heard);
        this.show();
      };
    const attempt = await examiner
      .examine(lesson, this.#file, stop, {
        onWhere: seldom(
          hear((where) => {
            this.#where = where;
          }),
        ),
        onFirst: hear((first) => {
          this.#attempt = first;
        }),
        onPrint: hear((line) => {
          this.#printed = line;
        }),
      })
      .catch(failed);
    if (stop.aborted) return;
    this.#where = undefined;
    this.#attempt = attempt;
    const { solved } = this.#progress;
    if (attempt.kind === 'solved' && !solved.includes(lesson.number))
      this.#write({ solved: [...solved, lesson.number] });
    this.show();
  }

  #endTrial() {
    this.#trial.abort();
    this.#where = undefined;
  }

  /** Draws the screen again, for example after a change of its width. */
  show() {
    const { lessons, paint, show, width } = this.#room;
    const view = {
      ...{ lessons, lesson: this.#lesson, file: this.#file, progress: this.#progress },
      ...{ attempt: this.#attempt, where: this.#where },
      ...{ printed: this.#printed, page: this.#page, width: width() },
      messages: [this.#unwritten ?? '', this.#message].filter((each) => each !== ''),
    };
    show(draw(view, paint), this.#where !== undefined && this.#attempt === undefined);
  }

  /** Ends the trial that runs, and stops watching the file. */
  close() {
    this.#unwatch();
    this.#endTrial();
  }
}

/** Runs the work. Returns the message if the work throws a `PlainError`, otherwise undefined. */
function unlessPlain(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof PlainError) return error.message;
    throw error;
  }
}

/**
 * Returns the result of a trial that could not run, for example because the computer could not
 * start a process. The student can save the file again later.
 */
const failed = (error: unknown): AttemptResult => ({
  kind: 'unusable',
  line: `Your file could not be tried: ${error instanceof Error ? error.message : error}`,
});

const DRAW_MS = 250;

/** Calls `act` at most a few times a second, since some trials report hundreds of schedules. */
function seldom(act: (where: string) => void): (where: string) => void {
  let last = 0;
  return (where) => {
    if (Date.now() - last < DRAW_MS) return;
    last = Date.now();
    act(where);
  };
}
