import type { EntryWithSources } from '../api.ts';

type Source = EntryWithSources['sources'][number];

/**
 * Returns a source file without the parts that give the verdict away: comments, the idea, the
 * promise, and the mark.
 */
export const withoutVerdict = ({ path, lines }: Source): Source => ({
  path,
  lines: lines.flatMap((line) => {
    const tokens = line.tokens.filter(({ kind }) => kind !== 'comment');
    const text = tokens.map((token) => token.text).join('');
    const isComment = tokens.length < line.tokens.length && text.trim() === '';
    return isComment || TELLING.test(text) ? [] : [{ ...line, isDecisive: false, tokens }];
  }),
});

const TELLING = /^\s*(idea|promise): /;

/** Shows a file of the project with its decisive statement marked. */
export function SourceFile({ source: { path, lines } }: { source: Source }) {
  const decisive = lines.filter(({ isDecisive }) => isDecisive);
  return (
    <figure class="source">
      <figcaption>
        <code>{path}</code>
        {decisive.length > 0 && (
          <span>: the decisive statement is marked, at line {decisive[0]?.number}</span>
        )}
      </figcaption>
      <section class="code" aria-label={path}>
        <pre>
          <code>
            {lines.map((line) => (
              <Line key={line.number} line={line} />
            ))}
          </code>
        </pre>
      </section>
    </figure>
  );
}

function Line({ line: { number, isDecisive, tokens } }: { line: Source['lines'][number] }) {
  const text = tokens.map(({ kind, text }, index) => (
    <span key={index} class={kind === 'plain' ? undefined : `token-${kind}`}>
      {text}
    </span>
  ));
  return (
    <span class={isDecisive ? 'line decisive' : 'line'}>
      <span class="number" aria-hidden="true">
        {number}
      </span>
      {isDecisive ? <mark>{text}</mark> : text}
      {'\n'}
    </span>
  );
}
