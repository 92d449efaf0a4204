import { blocksOf } from '../../lessons/markdown.ts';
import { Words } from '../../lessons/words.tsx';
import type { ToldLesson, ToldRoom } from './api.ts';

interface VotesProps {
  lesson: ToldLesson;
  room: ToldRoom;
  isAnswered: boolean;
}

/** Shows the question of a lesson, and how many students predicted each answer. */
export function Votes({ lesson, room, isAnswered }: VotesProps) {
  const first = room.predictions[lesson.number] ?? {};
  const second = room.secondVotes[lesson.number] ?? {};
  const all = sumOf(first);
  const again = sumOf(second);
  return (
    <div class="votes">
      <div class="question">
        <Prose text={lesson.question} />
      </div>
      <ol>
        {lesson.choices.map(({ letter, text }) => {
          const isRight = isAnswered && letter === lesson.answer;
          const count = first[letter] ?? 0;
          return (
            <li key={letter} class={isRight ? 'right' : ''}>
              <span class="letter">{letter}</span>
              <span class="words">
                <Words text={text} />
                {isRight && <strong class="is-right"> ✓ the answer</strong>}
              </span>
              <span class="count">
                {count}
                <span class="unseen">{count === 1 ? ' prediction' : ' predictions'}</span>
                {again > 0 && (
                  <>
                    {' → '}
                    {second[letter] ?? 0}
                    <span class="unseen"> in the second vote</span>
                  </>
                )}
              </span>
              <Bar part={count} of={all} />
              {again > 0 && <Bar part={second[letter] ?? 0} of={again} isSecond={true} />}
            </li>
          );
        })}
      </ol>
      <p class="sum">
        {all} of {room.students.length} {all === 1 ? 'has' : 'have'} predicted
        {again > 0 &&
          `, and ${again} ${again === 1 ? 'has' : 'have'} voted a second time (the lower bars)`}
      </p>
      {isAnswered && (
        <div class="because">
          <Prose text={lesson.because} />
        </div>
      )}
    </div>
  );
}

const sumOf = (votes: Record<string, number>): number =>
  Object.values(votes).reduce((sum, count) => sum + count, 0);

const Bar = ({ part, of, isSecond }: { part: number; of: number; isSecond?: boolean }) => (
  <svg
    class={isSecond ? 'bar second' : 'bar'}
    viewBox="0 0 100 1"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <rect class="bar-all" width="100" height="1" />
    <rect class="bar-part" width={of === 0 ? 0 : (100 * part) / of} height="1" />
  </svg>
);

/** Shows a text of a lesson without its links, because only the lab has the linked pages. */
const Prose = ({ text }: { text: string }) => (
  <>
    {blocksOf(text).map((block, index) => {
      if (block.kind === 'paragraph')
        return (
          <p key={index}>
            <Words text={block.text} />
          </p>
        );
      if (block.kind === 'list')
        return (
          <ul key={index}>
            {block.items.map((item, at) => (
              <li key={at}>
                <Words text={item} />
              </li>
            ))}
          </ul>
        );
      const lines =
        block.kind === 'commands' ? block.lines : block.rows.map((row) => row.join(' '));
      return (
        // The keyboard must reach everything that scrolls.
        <pre key={index} tabindex={0}>
          <code>{lines.join('\n')}</code>
        </pre>
      );
    })}
  </>
);
