import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { event } from '../../http/event-stream.ts';
import { UsageError } from '../../process/errors.ts';
import { inProject } from '../../process/project.ts';
import { findChapter } from '../chapters/index.ts';
import { assertCode } from '../judge/place.ts';
import { Listener } from '../listener.ts';
import type { SyllabusEntry } from '../syllabus/syllabus.ts';
import { Guest } from './guest-process.ts';
import { type Asked, type OwnNews, type Told, YOURS } from './messages.ts';
import { watchText } from './watch.ts';

/** A student's file, and the chapter of its strategy. */
export interface OwnFile {
  file: string;
  chapter: string;
}

/** The program of a guest. A deployment has no sources. */
const GUEST = 'src/lab/own/guest.ts';
const LOADING = 'The file is being loaded.';

/** Throws a `UsageError` if this installation cannot run the file of a student. */
export function assertCanHost({ file, chapter }: OwnFile) {
  const found = findChapter(chapter);
  if (typeof found === 'string') throw new UsageError(found);
  assertCode(file);
  if (!existsSync(inProject(GUEST)) || !existsSync(inProject('node_modules/tsx')))
    throw new UsageError('--strategy needs the sources and the packages for development: npm ci.');
}

/**
 * Shows the strategy of a student's file in the lab. The file runs in a process of its own, the guest.
 * Each save starts a new guest. A guest that ends in the middle of a request is replaced, and the
 * request is told why.
 */
export class Host {
  readonly chapter: string;
  readonly file: string;
  readonly #databaseUrl: string;
  readonly #listeners = new Set<Listener>();
  readonly #unwatch: () => void;
  #guest: Guest;
  #told: Told | undefined;
  /** Why the file cannot be used at the moment. */
  #missing: string | null = LOADING;
  #isClosed = false;

  constructor({ file, chapter }: OwnFile, databaseUrl: string) {
    this.file = path.resolve(file);
    this.chapter = chapter;
    this.#databaseUrl = databaseUrl;
    this.#guest = this.#start();
    this.#unwatch = watchText(this.file, () => {
      this.#missing = LOADING;
      this.#guest.end('The file was saved again.');
      this.#guest = this.#start();
    });
  }

  /** `isSaved` is false if the file is the same as before. Then the pages need not load anew. */
  #start({ isSaved = true } = {}): Guest {
    const { chapter, file } = this;
    const guest = new Guest({ databaseUrl: this.#databaseUrl, chapter, file });
    const isCurrent = () => guest === this.#guest && !this.#isClosed;
    void guest.ready.then(
      (told) => isCurrent() && isSaved && this.#change(told, null),
      (error: Error) => isCurrent() && this.#change(undefined, error.message),
    );
    void guest.ended.then((line) => {
      if (!isCurrent() || !guest.isReady) return;
      // A file that ends its process without a request would end the next process too.
      if (guest.wasAsked) this.#guest = this.#start({ isSaved: false });
      else this.#change(undefined, line);
    });
    return guest;
  }

  #change(told: Told | undefined, missing: string | null) {
    this.#told = told ?? this.#told;
    this.#missing = missing;
    for (const listener of this.#listeners) tellLatest(listener, 'saved', { missing });
  }

  /** The strategy in the list of the lab. Nobody has explored it yet. */
  get entry(): SyllabusEntry {
    const { idea = '', promise = 'nothing', situations = [] } = this.#told ?? {};
    const unknown = { schedules: 0, isComplete: false, faults: {}, clearest: {} };
    return {
      chapter: this.chapter,
      name: YOURS,
      idea: idea || `The strategy in ${path.basename(this.file)}`,
      promise,
      verdict: null,
      missing: this.#missing,
      situations: situations.map((each) => ({ ...each, ...unknown, serializationFailures: 0 })),
    };
  }

  readText = (): Promise<string> => readFile(this.file, 'utf8');

  /** The answer of the strategy's lab. Throws an error of one line if the file cannot be used. */
  async ask(asked: Omit<Asked, 'id'>, left: AbortSignal): Promise<Response> {
    const guest = await this.#readyGuest();
    return guest.ask(asked, left, (line) => event('failed', { detail: line }));
  }

  /** The guest of the last save. */
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

  /** A listener that is told of each save. */
  listen(): Listener {
    const listener = new Listener();
    tellLatest(listener, 'now', { missing: this.#missing });
    this.#listeners.add(listener);
    listener.left.addEventListener('abort', () => this.#listeners.delete(listener));
    return listener;
  }

  async close() {
    this.#isClosed = true;
    this.#unwatch();
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
