/** The rule for statements that are no steps, for people. */
export const PASSING_RULE =
  'No steps: BEGIN, SAVEPOINT, SET, SHOW, RESET, DISCARD, DEALLOCATE, LISTEN; a SELECT of constants ' +
  'or of settings, such as version(); reads of pg_type. Other reads of the catalog are steps.';

const OF_CONNECTION =
  /^(set(?!\s+constraints)|show|reset|discard|deallocate|listen|unlisten)\b[^;]*$/i;

/** Such as `1`, `'x'`, `version()` and `current_setting('a')`. */
const CONSTANT =
  /^(\d+|'[^']*'|null|true|(pg_catalog\.)?(version|current_schema|current_database|pg_backend_pid|pg_is_in_recovery)\(\)|current_(user|schema|catalog)|session_user|(pg_catalog\.)?(current_setting|set_config)\([^()]*\))( +(as +)?"?\w+"?)?$/i;

const isOfConstants = (text: string): boolean => {
  const list = /^select\s+([^;]*)$/i.exec(text)?.[1];
  return list?.split(/,(?![^(]*\))/).every((item) => CONSTANT.test(item.trim())) ?? false;
};

/** Drivers learn the types of a database from this table. */
function readsTypes(text: string): boolean {
  if (!/^(select|with)\b/i.test(text) || !/\bpg_type\b/i.test(text)) return false;
  const tables = [...text.matchAll(/\b(?:from|join)\s+(?:pg_catalog\.)?"?(\w+)/gi)];
  return tables.every(([, name]) => /^(pg_|unnest|lateral|select)/i.test(name ?? ''));
}

/** Whether a statement is no step wherever it stands. */
export const isPassing = (text: string): boolean =>
  text === '' || OF_CONNECTION.test(text) || isOfConstants(text) || readsTypes(text);

/** The statement without comments around it. COMMIT and ROLLBACK have one spelling each. */
export function normal(text: string): string {
  const found = withoutEnd(withoutBeginning(text));
  if (/^(end|commit)( (work|transaction))?$/i.test(found)) return 'commit';
  return /^(abort|rollback)( (work|transaction))?$/i.test(found) ? 'rollback' : found;
}

/** A text with more comments around it is left as it is then. */
const MOST_COMMENTS = 20;

/** Comments may hold the time or the number of a request, so they differ from run to run. */
function withoutBeginning(text: string): string {
  let rest = text.trimStart();
  for (let count = 0; count < MOST_COMMENTS; count++) {
    const end = rest.startsWith('/*') ? rest.indexOf('*/') + 2 : endOfLineComment(rest);
    // Without an end, a comment is no comment.
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
