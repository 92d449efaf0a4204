import { stripVTControlCharacters } from 'node:util';
import { lineOf, sayViolation } from '../package/message.ts';
import { type Result, verdictOf } from './results.ts';

/** Escapes a text for HTML and XML. Drops the colours of a terminal and other control characters. */
const escaped = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/[^\P{Cc}\t\n]/gu, '')
    .replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const stateOf = ({ found, error }: Result): 'held' | 'broken' | 'limit' | 'error' => {
  if (error) return 'error';
  if (found?.violation) return 'broken';
  return found?.isComplete ? 'held' : 'limit';
};

/** The marks tell the states apart without colour. */
const MARKS = { held: '✓', broken: '✗', limit: '…', error: '!' };

/** Returns one HTML file with all results. The file needs nothing else. */
export const htmlOf = (results: readonly Result[], at = new Date()): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Explorations: ${results.filter((each) => stateOf(each) === 'held').length} of ${results.length} hold</title>
<style>
:root { color-scheme: light dark; --line: #8886; --held: light-dark(#1a7f37, #4ac26b);
  --broken: light-dark(#b3261e, #ff8a80); --limit: light-dark(#8a5a00, #e3b341); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
section { border-top: 1px solid var(--line); padding: .5rem 0; }
h2 { font-size: 1.05rem; margin: .5rem 0; }
.held h2 { color: var(--held); } .broken h2, .error h2 { color: var(--broken); }
.limit h2 { color: var(--limit); }
p { margin: .25rem 0; }
pre { overflow-x: auto; padding: .75rem; border: 1px solid var(--line); border-radius: 6px;
  font-size: .85rem; line-height: 1.4; }
</style>
<h1>Explorations of ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC</h1>
${results.map(sectionOf).join('\n')}
</html>
`;

function sectionOf(result: Result): string {
  const state = stateOf(result);
  const { found } = result;
  const details = found?.violation
    ? [sayViolation(found, found.violation)]
    : (found?.remarks ?? []);
  return `<section class="${state}">
<h2>${MARKS[state]} ${escaped(result.name)}</h2>
<p>${escaped(verdictOf(result))}</p>
<p>${escaped(result.file)}${found ? `, ${(found.milliseconds / 1000).toFixed(1)} s` : ''}</p>
${details.map((each) => `<pre>${escaped(each)}</pre>`).join('\n')}</section>`;
}

/** Returns the results as JUnit XML. */
export function junitOf(results: readonly Result[]): string {
  const failures = results.filter(({ found }) => found?.violation || !found?.isComplete);
  const errors = results.filter(({ error }) => error);
  const cases = results.map((result) => {
    const { name, file, found, error } = result;
    const seconds = (found?.milliseconds ?? 0) / 1000;
    const open = `  <testcase name="${escaped(name)}" classname="${escaped(file)}" time="${seconds}">`;
    if (error) return `${open}<error message="${escaped(lineOf(error))}"/></testcase>`;
    if (!found?.violation && found?.isComplete) return `${open}</testcase>`;
    const text = found?.violation ? sayViolation(found, found.violation) : '';
    const message = escaped(found?.violation?.rule ?? verdictOf(result));
    return `${open}<failure message="${message}">${escaped(text)}</failure></testcase>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="rowlock-explorer" tests="${results.length}" failures="${failures.length - errors.length}" errors="${errors.length}">
${cases.join('\n')}
</testsuite>
`;
}

/** Returns the lines with which GitHub marks the files of failed explorations. */
export const annotationsOf = (results: readonly Result[]): string[] =>
  results
    .filter((each) => stateOf(each) !== 'held')
    .map((each) => {
      const { found, error } = each;
      const text = found?.violation ? sayViolation(found, found.violation) : verdictOf(each);
      const level = error || found?.violation ? 'error' : 'warning';
      const title = property(`${each.name}: ${verdictOf(each)}`);
      return `::${level} file=${property(each.file)},line=1,title=${title}::${data(text)}`;
    });

/** The workflow commands of GitHub use these signs themselves. */
const data = (text: string) =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
