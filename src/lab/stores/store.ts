import { PlainError } from '../../platform/process/errors.ts';
import { findOnPath } from '../../platform/process/find-on-path.ts';
import type { StoreSettings } from '../../service/config/config.ts';

/** The error if a store cannot be used or has ended. */
export class StoreError extends PlainError {
  override name = 'StoreError';
}

/** The error if this machine does not have a store. */
export class StoreMissing extends StoreError {
  override name = 'StoreMissing';
}

/** An open store of this process. */
export interface StoreConnection {
  /** Resolves when the store can no longer answer. */
  ended: Promise<unknown>;
  close(): Promise<void>;
}

/** One kind of store, such as Redis. */
export interface StoreKind<C extends StoreConnection> {
  /** The name for people, such as `Redis`. */
  title: string;
  /** The environment variables that name an address, or a program. */
  variables: { url: string; program: string };
  /**
   * Reads the settings. The store calls this function only when it needs the settings. By then a
   * command has read its `.env`.
   */
  settings(): StoreSettings;
  connect(url: string): Promise<C>;
  /** Starts the program at this path. */
  start(file: string): Promise<C>;
}

/**
 * The only store of its kind in this process. All stages share this store, and each trial has
 * separate keys. The store is opened when a strategy first needs it.
 */
export class Store<C extends StoreConnection> {
  readonly #kind: StoreKind<C>;
  #open: Promise<C> | undefined;

  constructor(kind: StoreKind<C>) {
    this.#kind = kind;
  }

  get title(): string {
    return this.#kind.title;
  }

  /** The reason why the store cannot be used here, and advice for a person. Otherwise undefined. */
  get missing(): string | undefined {
    const { title, variables, settings } = this.#kind;
    const { url, program } = settings();
    if (url !== undefined || findOnPath(program) !== undefined) return undefined;
    return `There is no ${title} here: no program ${JSON.stringify(program)}. Install it, or set ${variables.program} or ${variables.url}.`;
  }

  /** Opens the store if it is not open. If the store has ended, the next call opens it again. */
  open(): Promise<C> {
    this.#open ??= this.#connect();
    return this.#open;
  }

  async close() {
    const open = this.#open;
    this.#open = undefined;
    await (await open?.catch(() => undefined))?.close();
  }

  #connect(): Promise<C> {
    const { url, program } = this.#kind.settings();
    const connecting = this.#tryConnect(url, program);
    const forget = () => {
      if (this.#open === connecting) this.#open = undefined;
    };
    const closeAtEnd = async (connection: C) => {
      await connection.ended;
      forget();
      await connection.close();
    };
    connecting.then(closeAtEnd, forget);
    return connecting;
  }

  async #tryConnect(url: string | undefined, program: string): Promise<C> {
    const { title, variables, connect, start } = this.#kind;
    try {
      if (url !== undefined) return await connect(url);
      const file = findOnPath(program);
      if (file !== undefined) return await start(file);
    } catch (error) {
      const where = url === undefined ? 'does not start' : `at ${variables.url} does not answer`;
      throw new StoreError(`${title} ${where}: ${reasonOf(error)}`, { cause: error });
    }
    throw new StoreMissing(this.missing);
  }
}

/** Returns the first line of the innermost cause. Some errors hide the reason in a cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [error];
  return (first?.message ?? '').split('\n')[0] || error.name;
}
