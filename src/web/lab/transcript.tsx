import { Copy } from '../parts/copy.tsx';
import type { ToldSchedule } from './api.ts';
import { HOME, type Place } from './place.ts';

interface RecordProps {
  place: Place;
  told: ToldSchedule;
}

/** The transcript as the command line prints it, and the command that prints it again. */
export function Transcript({ place, told }: RecordProps) {
  const command = commandOf(place, told);
  const isOver = !told.endings.includes(null);
  return (
    <details class="transcript">
      <summary>Transcript</summary>
      <section class="text" tabindex={0} aria-label="Transcript as text">
        <pre>{told.transcript}</pre>
      </section>
      <p>
        This command prints it again{isOver ? '' : ', and plays on to the end'}:{' '}
        <code>{command}</code>
      </p>
      <p class="row">
        <Copy label="Copy transcript" text={() => told.transcript} />
        <Copy label="Copy command" text={() => command} />
        <Copy label="Copy link" text={() => location.href} />
      </p>
    </details>
  );
}

function commandOf({ strategy, situation }: Place, { schedule, sessions }: ToldSchedule): string {
  const words = [`npm run replay -- ${strategy} ${schedule.join() || '1'}`];
  if (situation !== HOME.situation) words.push(`--situation ${situation}`);
  if (sessions > HOME.sessions) words.push(`--sessions ${sessions}`);
  return words.join(' ');
}
