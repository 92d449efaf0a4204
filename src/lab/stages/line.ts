/** `full`: the line was as long as it may be. `left`: it was stopped before its turn came. */
export type NotRun = 'full' | 'left';

interface Waiting {
  onPlace(place: number): void;
  enter(): void;
}

/** Lets one piece of work run at a time; the others wait in a line and are told their place in it. */
export class Line {
  readonly #longest: number;
  #isBusy = false;
  #waiting: Waiting[] = [];

  /** `longest`: how many may wait. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Whether there is no place left to wait. */
  isFull(): boolean {
    return this.#isBusy && this.#waiting.length >= this.#longest;
  }

  /**
   * Runs the work when its turn comes; before that, `onPlace` is told each place in line, from 1.
   * Once `stop` is aborted work that waits is not run; that which runs has to see to it itself.
   */
  async run<T>(
    work: () => Promise<T>,
    onPlace: (place: number) => void,
    stop: AbortSignal,
  ): Promise<T | NotRun> {
    if (this.isFull()) return 'full';
    if (stop.aborted) return 'left';
    if (this.#isBusy && !(await this.#ourTurn(onPlace, stop))) return 'left';
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  /** Where one goes, the next one comes at once: nobody slips in between. */
  #next() {
    const next = this.#waiting.shift();
    if (next) next.enter();
    else this.#isBusy = false;
    this.#tellPlaces();
  }

  #ourTurn(onPlace: Waiting['onPlace'], stop: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const leave = () => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        resolve(false);
        this.#tellPlaces();
      };
      const enter = () => {
        stop.removeEventListener('abort', leave);
        resolve(true);
      };
      const waiting = { onPlace, enter };
      stop.addEventListener('abort', leave);
      this.#waiting.push(waiting);
      onPlace(this.#waiting.length);
    });
  }

  #tellPlaces() {
    for (const [index, { onPlace }] of this.#waiting.entries()) onPlace(index + 1);
  }
}
