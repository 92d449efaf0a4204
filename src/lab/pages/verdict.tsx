import type { SyllabusEntry, ToldChapter } from './api.ts';

/**
 * Shows the explorer's verdict in one word. The mark also shows the verdict to people who see no
 * colours.
 */
export function VerdictMark({ verdict }: Pick<SyllabusEntry, 'verdict'>) {
  if (verdict === null) return <span class="verdict">not explored yet</span>;
  const holds = verdict === 'holds';
  return (
    <span class={`verdict ${holds ? 'good' : 'bad'}`}>
      <span aria-hidden="true">{holds ? '✓' : '✗'}</span> {verdict}
    </span>
  );
}

interface Counted {
  schedules: number;
  faults: Record<string, number>;
  /** False if only the first schedules were played. */
  isComplete?: boolean;
}

/** Says how many schedules go wrong, and how, such as `Of 20 schedules, 18 oversold.` */
export function inWords(
  chapter: ToldChapter,
  { schedules, faults, isComplete = true }: Counted,
): string {
  if (schedules === 0) return 'Not played yet.';
  const played = `${isComplete ? '' : 'the first '}${schedules} schedules`;
  const found = chapter.faults.filter(({ name }) => (faults[name] ?? 0) > 0);
  if (found.length === 0)
    return isComplete ? `All ${played} hold.` : `None of ${played} went wrong.`;
  const wrong = found.map((fault) => `${faults[fault.name]} ${fault.inWords}`);
  return `Of ${played}, ${wrong.join(', ')}.`;
}
