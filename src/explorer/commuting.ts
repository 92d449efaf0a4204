import { codeOf, type Token, tokensOf } from './lexer.ts';
import type { Step } from './step.ts';
import { isCommit } from './words.ts';

/**
 * Whether two next steps of different sessions commute: both orders lead to the same state, with
 * the same answers. We know this for one pair: a plain read, and a step whose effects nobody sees
 * before a COMMIT. False if a step is unknown.
 *
 * SERIALIZABLE is left out, because there PostgreSQL remembers what a session has read.
 */
export const commute = (one: Step | undefined, other: Step | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  ![one, other].some(isSpecial) &&
  ((isPlainRead(one.text) && isUnseen(other)) || (isPlainRead(other.text) && isUnseen(one)));

const isSpecial = ({ effect, isolation }: Step): boolean =>
  effect !== undefined || isolation === 'serializable';

/** Whether a plain read of another session gives the same rows before and after this step. */
function isUnseen({ text, isInTransaction, isAutocommit }: Step): boolean {
  if (isPlainRead(text)) return true;
  if (isAutocommit !== true && isInTransaction !== true) return false;
  return /^rollback$/i.test(text) || (ROWS.test(codeOf(text)) && isOneStatement(text, LOCKING));
}

/** Statements that only lock, change or read rows. */
const ROWS = /^(select|insert|update|delete|with|merge)\b/i;

/**
 * Whether a statement is usual for `commute`. After any other statement, such as LOCK TABLE or SET,
 * a read may wait, or the isolation level may be another one.
 */
export const isUsual = (text: string): boolean =>
  ROWS.test(codeOf(text)) || isCommit(text) || /^rollback$/i.test(text);

/** Words after which a statement is no plain read. FOR UPDATE locks, and INTO makes a table. */
const NOT_PLAIN = /^(insert|update|delete|merge|into|for|lock)$/i;

/** Keywords that may stand before a parenthesis, and call no function that somebody has made. */
const BEFORE_PARENTHESIS =
  /^(all|and|any|as|between|by|case|cast|coalesce|conflict|distinct|else|except|exists|extract|filter|from|greatest|having|ilike|in|intersect|is|join|lateral|least|like|limit|materialized|not|nullif|offset|on|or|over|returning|row|select|set|some|then|union|using|values|when|where)$/i;

/** Functions that only compute a value from their arguments, or read the clock. */
const PLAIN_FUNCTIONS =
  /^(count|sum|min|max|avg|bool_and|bool_or|every|array_agg|string_agg|json_agg|jsonb_agg|json_build_object|jsonb_build_object|abs|length|lower|upper|mod|now|clock_timestamp|statement_timestamp|transaction_timestamp|make_interval|row_number|rank|unnest|generate_series)$/i;
const LOCKING = /^pg_(try_)?advisory_(xact_)?(un)?lock(_shared)?$/i;

/**
 * Names through which a read sees more than committed rows: the views of the server, sequences, and
 * the marks of a transaction on a row.
 */
const SEES_MORE = /^"?(pg_.*|information_schema|.*_seq|xmax|cmin|cmax|last_value)"?$/i;

/**
 * Whether a text is one SELECT that locks nothing, calls only known functions, and reads only
 * tables. We do not look into views.
 */
export const isPlainRead = (text: string): boolean =>
  /^(select|with|values|table)\b/i.test(codeOf(text)) &&
  isOneStatement(text) &&
  !codeTokensOf(text).some(
    ({ kind, text: word }, index, all) =>
      (kind === 'keyword' && NOT_PLAIN.test(word)) ||
      (kind === 'name' && !isCalled(all, index) && SEES_MORE.test(word)),
  );

/** Whether a text is one statement that calls only known functions. `more` names further ones. */
const isOneStatement = (text: string, more?: RegExp): boolean =>
  codeTokensOf(text).every(({ kind, text: word }, index, all) => {
    if (kind === 'unknown') return false;
    if (word === ';') return index === all.length - 1;
    if (!isCalled(all, index) || isListed(all, index)) return true;
    if (kind === 'keyword') return BEFORE_PARENTHESIS.test(word);
    if (kind !== 'name') return true;
    if (all[index - 1]?.text === '.') return false;
    return PLAIN_FUNCTIONS.test(word) || more?.test(word) === true;
  });

const codeTokensOf = (text: string): Token[] =>
  tokensOf(text).filter(({ kind }) => kind !== 'comment');

const isCalled = (tokens: readonly Token[], index: number): boolean =>
  tokens[index + 1]?.text === '(';

/** Whether the name is that of a table, whose columns follow in parentheses. */
function isListed(tokens: readonly Token[], index: number): boolean {
  const before = tokens
    .slice(0, index)
    .findLast(({ kind, text }) => kind !== 'name' && text !== '.');
  return /^into$/i.test(before?.text ?? '');
}
