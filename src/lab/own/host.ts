import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { event } from '../../service/http/event-stream.ts';
import { Listener } from '../listener.ts';
import { type ToldChapter, toldChapters } from '../syllabus/http.ts';
import { type Source, sourceOfText } from '../syllabus/source.ts';
import type { SyllabusEntry } from '../syllabus/syllabus.ts';
import { Guest } from './guest-process.ts';
import { type Asked, type OwnNews, type ToldStrategy, YOURS } from './messages.ts';
import { nameOf, type Own, shownIn, sourceOf, watchedOf } from './own.ts';
import { watchText } from './watch.ts';

const LOADING = 'The code is being loaded.';

/**
 * Shows the strategy of a student's file, or a student's program, in the lab. A separate process,
 * the guest, runs the strategy or starts the program. Each save starts a new guest. If a guest ends
 * during a request, the answer says why, and a new guest starts.
 */
export class Host {
  readonly chapter: string;
  readonly isProgram: boolean;
  readonly #own: Own;
  readonly #databaseUrl: string;
  readonly #listeners = new Set<Listener>();
  readonly #unwatch: (() => void)[];
  #guest: Guest;
  #told: ToldStrategy | undefined;
  readonly #files: string[];
  /** The reason if the code cannot be used at the moment. Otherwise null. */
  #missing: string | null = LOADING;
  #isClosed = false;

  constructor(own: Own, databaseUrl: string) {
    this.#own = own;
    this.chapter = shownIn(own);
    this.isProgram = 'program' in own;
    this.#databaseUrl = databaseUrl;
    this.#guest = this.#start();
    const onSave = () => {
      this.#missing = LOADING;
      this.#guest.end('The file was saved again.');
      this.#guest = this.#start();
    };
    this.#files = watchedOf(own);
    this.#unwatch = this.#files.map((file) => watchText(file, onSave));
  }

  /**
   * Starts a guest. `isSaved` is false if the file has not changed. Then the pages need not load
   * again.
   */
  #start({ isSaved = true } = {}): Guest {
    const guest = new Guest({ databaseUrl: this.#databaseUrl, own: this.#own });
    const isCurrent = () => guest === this.#guest && !this.#isClosed;
    void guest.ready.then(
      (told) => isCurrent() && isSaved && this.#change(told, null),
      (error: Error) => isCurrent() && this.#change(undefined, error.message),
    );
    void guest.ended.then((line) => {
      if (!isCurrent() || !guest.isReady) return;
      // If code ends its process without a request, it would end the next process too. So we start
      // a new guest only after a request.
      if (guest.wasAsked) this.#guest = this.#start({ isSaved: false });
      else this.#change(undefined, line);
    });
    return guest;
  }

  #change(told: ToldStrategy | undefined, missing: string | null) {
    this.#told = told ?? this.#told;
    this.#missing = missing;
    for (const listener of this.#listeners) tellLatest(listener, 'saved', { missing });
  }

  /** The entry of the strategy in the lab's list. Nobody has explored the strategy yet. */
  get entry(): SyllabusEntry {
    const { idea = '', promise = 'nothing', situations = [] } = this.#told ?? {};
    const unknown = { schedules: 0, isComplete: false, faults: {}, clearest: {} };
    return {
      chapter: this.chapter,
      options: sourceOf(this.#own).join(' '),
      name: YOURS,
      idea: idea || this.#idea,
      promise,
      verdict: null,
      missing: this.#missing,
      situations: situations.map((each) => ({ ...each, ...unknown, serializationFailures: 0 })),
    };
  }

  get #idea(): string {
    const name = nameOf(this.#own);
    if (!this.isProgram) return `The strategy in ${path.basename(name)}`;
    return `The program ${name}`;
  }

  /** The chapters of the lab, and one more chapter if the student's program has its own tables. */
  get chapters(): ToldChapter[] {
    const isKnown = toldChapters.some(({ name }) => name === this.chapter);
    return [...toldChapters, ...(this.#told && !isKnown ? [this.#told.chapter] : [])];
  }

  /** Reads the files of the code. */
  sources = (): Promise<Source[]> =>
    Promise.all(
      this.#files.map(async (file) =>
        sourceOfText(file, await readFile(file, 'utf8').catch(() => '')),
      ),
    );

  /** Returns the guest's answer. Throws an error of one line if the code cannot be used. */
  async ask(asked: Omit<Asked, 'id'>, left: AbortSignal): Promise<Response> {
    const guest = await this.#readyGuest();
    return guest.ask(asked, left, (line) => event('failed', { detail: line }));
  }

  /** Returns the guest of the last save, as soon as it is ready. */
  async #readyGuest(): Promise<Guest> {
    for (;;) {
      const guest = this.#guest;
      const isReady = await guest.ready.then(
        () => true,
        (error) => {
          if (guest === this.#guest) throw error;
          return false;
        },
      );
      if (isReady) return guest;
    }
  }

  /** Returns a listener that gets an event about each save. */
  listen(): Listener {
    const listener = new Listener();
    tellLatest(listener, 'now', { missing: this.#missing });
    this.#listeners.add(listener);
    listener.left.addEventListener('abort', () => this.#listeners.delete(listener));
    return listener;
  }

  async close() {
    this.#isClosed = true;
    for (const unwatch of this.#unwatch) unwatch();
    for (const listener of this.#listeners) listener.end();
    this.#guest.stop('The server stops.');
    await this.#guest.ended;
  }
}

const tellLatest = <Name extends keyof OwnNews>(
  listener: Listener,
  name: Name,
  data: OwnNews[Name],
) => listener.tellLatest(name, data);
