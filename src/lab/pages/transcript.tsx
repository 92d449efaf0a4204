import type { Child } from 'hono/jsx';
import { Copy } from '../../pages/parts/copy.tsx';
import type { SyllabusEntry, ToldSchedule } from './api.ts';
import { HOME, type Place } from './place.ts';
import { lessonOfScript } from './sql/scripts.ts';

interface RecordProps {
  place: Place;
  entry: SyllabusEntry | undefined;
  told: ToldSchedule;
}

/**
 * Shows the transcript as the command line prints it, and the command that prints the same
 * transcript.
 */
export function Transcript({ place, entry, told }: RecordProps) {
  // No command knows the script of a visitor.
  if (lessonOfScript(place.strategy) > 0) return <TranscriptText told={told} />;
  const command = commandOf(entry?.options ?? place.strategy, place, told);
  const isOver = !told.endings.includes(null);
  return (
    <TranscriptText
      told={told}
      below={
        <p>
          This command prints it again{isOver ? '' : ', and plays on to the end'}:{' '}
          <code>{command}</code>
        </p>
      }
    >
      <Copy label="Copy command" text={() => command} />
      <Copy label="Copy link" text={() => location.href} />
    </TranscriptText>
  );
}

interface TextProps {
  told: ToldSchedule;
  /** The content below the text. */
  below?: Child;
  /** Further buttons. */
  children?: Child;
}

/** Shows the transcript as text. */
export const TranscriptText = ({ told, below, children }: TextProps) => (
  <details class="transcript">
    <summary>Transcript</summary>
    <section class="text" tabindex={0} aria-label="Transcript as text">
      <pre>{told.transcript}</pre>
    </section>
    {below}
    <p class="row">
      <Copy label="Copy transcript" text={() => told.transcript} />
      {children}
    </p>
  </details>
);

function commandOf(
  source: string,
  { situation }: Place,
  { schedule, sessions }: ToldSchedule,
): string {
  const words = [`npm run replay -- ${source} ${schedule.join() || '1'}`];
  if (situation !== HOME.situation) words.push(`--situation ${situation}`);
  if (sessions > HOME.sessions) words.push(`--sessions ${sessions}`);
  return words.join(' ');
}
