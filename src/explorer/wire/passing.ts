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
  const tables = [...text.matchAll(/\b(?:from|join)\s+(?:pg_catalog\.)?"?(\w+)/gi)];
  return tables.every(([, name]) => /^(pg_|unnest|lateral|select)/i.test(name ?? ''));
}

/** Whether a statement is never a step, in or outside a transaction. */
export const isPassing = (text: string): boolean =>
  text === '' || OF_CONNECTION.test(text) || isOfConstants(text) || readsTypes(text);

/**
 * Removes the comments before and after a statement. Gives each COMMIT and each ROLLBACK the same
 * spelling.
 */
export function normal(text: string): string {
  const found = withoutEnd(withoutBeginning(text));
  if (/^(end|commit)( (work|transaction))?$/i.test(found)) return 'commit';
  return /^(abort|rollback)( (work|transaction))?$/i.test(found) ? 'rollback' : found;
}

/**
 * The maximum number of comments that we remove before or after a statement. We leave all further
 * comments.
 */
const MOST_COMMENTS = 20;

/**
 * Removes the comments before a statement. Comments may contain the time or the number of a
 * request, so they differ in each run.
 */
function withoutBeginning(text: string): string {
  let rest = text.trimStart();
  for (let count = 0; count < MOST_COMMENTS; count++) {
    const end = rest.startsWith('/*') ? rest.indexOf('*/') + 2 : endOfLineComment(rest);
    // A comment without an end does not count as a comment.
    if (end < 2) break;
    rest = rest.slice(end).trimStart();
  }
  return rest;
}

function endOfLineComment(text: string): number {
  if (!text.startsWith('--')) return 0;
  const end = text.indexOf('\n');
  return end < 0 ? text.length : end + 1;
}

function withoutEnd(text: string): string {
  let rest = text.trimEnd();
  for (let count = 0; count < MOST_COMMENTS; count++) {
    const begin = rest.endsWith('*/') ? rest.lastIndexOf('/*') : -1;
    if (rest.endsWith(';')) rest = rest.slice(0, -1).trimEnd();
    else if (begin >= 0) rest = rest.slice(0, begin).trimEnd();
    else break;
  }
  return rest;
}
