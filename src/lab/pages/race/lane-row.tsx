import type { Lane, Span } from '../../race/rounds/lanes.ts';
import type { ToldChapter } from '../api.ts';
import { lockIn } from '../play/words.ts';

interface LaneRowProps {
  lane: Lane;
  scale: number;
  kind: ToldChapter['race']['kind'];
}

/** Shows everything that one session did. Statements are bars, and waits for a lock are hatched. */
export function LaneRow({ lane, scale, kind }: LaneRowProps) {
  const { session, statements, waits } = lane;
  const bar = ({ from, to }: Span) => ({
    x: `${(100 * from) / scale}%`,
    width: `${(100 * (to - from)) / scale}%`,
  });
  return (
    <li>
      <span class="session">S{session}</span>
      <span class="on-bars">
        <svg class="bars" width="100%" aria-hidden="true">
          <rect class="request" {...bar(lane)} y="45%" height="10%" />
          {statements.map((statement, index) => (
            <rect
              key={index}
              class={statement.isEffect ? 'outside' : 'statement'}
              {...bar(statement)}
              y="10%"
              height="80%"
            >
              <title>
                {statement.text}, {inMs(statement)}
              </title>
            </rect>
          ))}
          {waits.map((wait, index) => (
            <rect
              key={index}
              class="wait"
              {...bar(wait)}
              y="10%"
              height="80%"
              fill="url(#lock-wait)"
            >
              <title>
                waits for S{wait.blocker}, {inMs(wait)}
              </title>
            </rect>
          ))}
        </svg>
        {wordsOn(lane).map(({ word, ...span }, index) => {
          const { x, width } = bar(span);
          return (
            <span key={index} class="word" style={{ left: x, width }} aria-hidden="true">
              {' '}
              {word}
            </span>
          );
        })}
      </span>
      {kind === 'crashes' ? <End lane={lane} /> : <Status lane={lane} />}
      <span class="unseen">{kind === 'crashes' ? sayEnd(lane) : inWords(lane)}</span>
    </li>
  );
}

/**
 * Returns the words on the bars. A bar under a hatched wait has no word. BEGIN and the next
 * statement are sent together, so their bars overlap. So each word begins where the previous bar
 * ends.
 */
function wordsOn({ statements, waits }: Lane): (Span & { word: string })[] {
  return statements
    .map((statement, index) => ({
      from: Math.max(statement.from, statements[index - 1]?.to ?? 0),
      to: statement.to,
      word: wordFor(statement),
    }))
    .filter(
      ({ from, to }) => from < to && waits.every((wait) => wait.to <= from || to <= wait.from),
    );
}

/** Returns the kind of a statement in one word, such as `insert`, `lock`, `count` or `read`. */
function wordFor({ text, isEffect }: Lane['statements'][number]): string {
  const [word = ''] = /^[a-z]+/i.exec(text) ?? [];
  if (isEffect) return '';
  if (word !== 'select') return word;
  if (lockIn(text) || /^select pg_\w*lock/.test(text)) return 'lock';
  return /\bcount\(/.test(text) ? 'count' : 'read';
}

const Status = ({ lane: { status } }: Pick<LaneRowProps, 'lane'>) => (
  <span class={`status ${status === 200 ? 'good' : 'muted'}`}>
    <span aria-hidden="true">{status === 200 ? '●' : '○'}</span> {status}
  </span>
);

/** Shows how a session ended. In a race with crashes, sessions get no status of HTTP. */
function End({ lane }: Pick<LaneRowProps, 'lane'>) {
  const { mark, word, kind } = endOf(lane);
  return (
    <span class={`status ${kind}`}>
      <span aria-hidden="true">{mark}</span> {word}
    </span>
  );
}

function endOf({ status, hasDied }: Lane) {
  if (hasDied) return { mark: '✕', word: 'died', kind: 'bad' };
  if (status === 200) return { mark: '●', word: 'done', kind: 'good' };
  return { mark: '○', word: 'error', kind: 'muted' };
}

const sayEnd = ({ to }: Lane): string => `after ${to.toFixed(1)} ms`;

const inMs = ({ from, to }: Span): string => `${(to - from).toFixed(1)} ms`;

function inWords({ to, status, waits }: Lane): string {
  const waited = waits.reduce((sum, wait) => sum + wait.to - wait.from, 0);
  const got = status === 200 ? 'succeeded' : 'was refused';
  return `${got} after ${to.toFixed(1)} ms, of which ${waited.toFixed(1)} ms waiting for a lock`;
}
