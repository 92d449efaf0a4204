import type { Session } from '../platform/db/session.ts';
import { takesSessionLock } from './words.ts';

const BEGINS = /^(begin|start transaction)\b[^;]*$/i;
const ENDS = /^(commit|rollback)$/i;
/** Statements whose effect ends with their transaction. */
const WITHIN = /^(savepoint|release savepoint|rollback to|set transaction)\b[^;]*$/i;
const OF_ROWS = /^(select|insert|update|delete|with)\b/i;
/** Words of a statement on rows that may leave something after its transaction. */
const LEAVES = /;|\bset_config\b|\btemp(orary)?\b|\bpg_temp/i;

/**
 * Follows the statements of a session. An open transaction, a setting, a lock or a temporary table
 * would change the next schedule. We know only the words of a statement, and a statement may call a
 * function of its own. So a single unusual statement means that anything may be left, for ever.
 */
export class Leftovers {
  /** The session whose statements are followed. */
  readonly session: Session;
  readonly #inner: Session;
  readonly #onUnusual: () => void;
  #isOpen = false;

  /** `onUnusual` is called at each unusual statement. */
  constructor(inner: Session, onUnusual: () => void) {
    this.#inner = inner;
    this.#onUnusual = onUnusual;
    const run: Session['run'] = (statement) => {
      this.#follow(statement.text.trim());
      return inner.run(statement);
    };
    this.session = { ...inner, run };
  }

  /** Whether a transaction may be open. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Runs texts that remove what is left. */
  async remove(texts: readonly string[]) {
    await Promise.all(texts.map((text) => this.#inner.run({ text, params: [], asArrays: false })));
    this.#isOpen = false;
  }

  #follow(text: string) {
    if (BEGINS.test(text)) this.#isOpen = true;
    else if (ENDS.test(text)) this.#isOpen = false;
    else if (!WITHIN.test(text) && !isOfRows(text)) this.#onUnusual();
  }
}

const isOfRows = (text: string): boolean =>
  OF_ROWS.test(text) && !LEAVES.test(text) && !takesSessionLock(text);
