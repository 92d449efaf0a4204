import { codeOf, type Token, tokensOf } from '../lexer.ts';

// Recognizes statements that are not steps. These are SET, SHOW, RESET, DISCARD, DEALLOCATE and
// LISTEN. A SELECT of constants or settings, such as version(), is not a step. A read of pg_type is
// not a step, but other reads of the catalog are steps. BEGIN and SAVEPOINT are not steps (see
// PREPARATORY).

const OF_CONNECTION =
  /^(set(?!\s+constraints)|show|reset|discard|deallocate|listen|unlisten)\b[^;]*$/i;

/** Matches a constant or a setting, such as `1`, `'x'`, `version()` and `current_setting('a')`. */
const CONSTANT =
  /^(\d+|'[^']*'|null|true|(pg_catalog\.)?(version|current_schema|current_database|pg_backend_pid|pg_is_in_recovery)\(\)|current_(user|schema|catalog)|session_user|(pg_catalog\.)?(current_setting|set_config)\([^()]*\))( +(as +)?"?\w+"?)?$/i;

const isOfConstants = (text: string): boolean => {
  const list = /^select\s+([^;]*)$/i.exec(text)?.[1];
  return list?.split(/,(?![^(]*\))/).every((item) => CONSTANT.test(item.trim())) ?? false;
};

/** Drivers read pg_type to learn the types of a database. */
function readsTypes(text: string): boolean {
  if (!/^(select|with)\b/i.test(text) || !/\bpg_type\b/i.test(text)) return false;
  const tables = [...codeOf(text).matchAll(/\b(?:from|join)\s+(?:pg_catalog\.)?"?(\w+)/gi)];
  return tables.every(([, name]) => /^(pg_|unnest|lateral|select)/i.test(name ?? ''));
}

/** Whether a statement is never a step, in or outside a transaction. */
export const isPassing = (text: string): boolean =>
  text === '' || OF_CONNECTION.test(text) || isOfConstants(text) || readsTypes(text);

/**
 * Removes the comments and semicolons before and after a statement. A comment may contain the time
 * or the number of a request, so it may differ in each run. Gives each COMMIT and each ROLLBACK the
 * same spelling. A text of more than 20,000 characters keeps its comments.
 */
export function normal(text: string): string {
  const found = withoutEnds(text);
  if (/^(end|commit)( (work|transaction))?$/i.test(found)) return 'commit';
  return /^(abort|rollback)( (work|transaction))?$/i.test(found) ? 'rollback' : found;
}

function withoutEnds(text: string): string {
  const tokens = tokensOf(text);
  const isOutside = ({ kind, text }: Token) => kind === 'comment' || text === ';';
  const first = tokens.find((token) => !isOutside(token));
  const last = tokens.findLast((token) => !isOutside(token));
  return first && last ? text.slice(first.at, last.at + last.text.length).trim() : '';
}
