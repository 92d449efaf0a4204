import { codeOf, tokensOf } from './lexer.ts';
import type { Step } from './step.ts';
import { hasControl, isWrite } from './words.ts';

/**
 * Whether two next steps of different sessions commute: both orders lead to the same state, with
 * the same answers. We know this only of a plain read and a step whose effects nobody can see
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
  if (/^commit\b/i.test(text) || hasControl(text)) return false;
  if (isAutocommit) return isWrite(text) && ROWS.test(codeOf(text));
  return isInTransaction === true && (/^rollback\b/i.test(text) || ROWS.test(codeOf(text)));
}

/** Statements that only lock or change rows. A change of a table makes readers wait. */
const ROWS = /^(select|insert|update|delete|with|merge)\b/i;

/** Words after which a statement is no plain read. FOR UPDATE locks, and INTO makes a table. */
const NOT_PLAIN = /^(insert|update|delete|merge|into|for|lock)$/i;

/** Functions that only compute a value from their arguments, or read the clock. */
const PLAIN_FUNCTIONS =
  /^(count|sum|min|max|avg|bool_and|bool_or|every|array_agg|string_agg|json_agg|jsonb_agg|json_build_object|jsonb_build_object|abs|length|lower|upper|mod|now|clock_timestamp|statement_timestamp|transaction_timestamp|row_number|rank|unnest|generate_series)$/i;

/**
 * Names through which a read sees more than committed rows: the views of the server, sequences, and
 * the mark of a lock on a row.
 */
const SEES_MORE = /^"?(pg_.*|information_schema|.*_seq|xmax|last_value)"?$/i;

/**
 * Whether a text is one SELECT that locks nothing, calls only known functions, and reads only
 * tables. We do not look into views.
 */
export function isPlainRead(text: string): boolean {
  if (!/^(select|with|values|table)\b/i.test(codeOf(text))) return false;
  const tokens = tokensOf(text).filter(({ kind }) => kind !== 'comment');
  return tokens.every((token, index) => {
    if (token.kind === 'keyword') return !NOT_PLAIN.test(token.text);
    if (token.text === ';') return index === tokens.length - 1;
    if (token.kind !== 'name') return token.kind !== 'unknown';
    const isCalled = tokens[index + 1]?.text === '(';
    const isQualified = tokens[index - 1]?.text === '.';
    if (isCalled && !isQualified) return PLAIN_FUNCTIONS.test(token.text);
    return !isCalled && !SEES_MORE.test(token.text);
  });
}
