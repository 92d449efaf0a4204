import type { Entry } from './api.ts';

/** What the explorer has found, in a word; its mark says the same without the colour. */
export function Verdict({ verdict }: Pick<Entry, 'verdict'>) {
  if (verdict === null) return <span class="verdict">not explored yet</span>;
  const holds = verdict === 'holds';
  return (
    <span class={`verdict ${holds ? 'good' : 'bad'}`}>
      <span aria-hidden="true">{holds ? '✓' : '✗'}</span> {verdict}
    </span>
  );
}

const WORDS: Record<string, string> = {
  oversold: 'oversold',
  unsold: 'unsold',
  untrue: 'told somebody what is not true',
  deadlock: 'deadlocked',
  error: 'ended in an error',
  hang: 'never ended',
};

/** How many schedules go wrong and how: `18 of 20 schedules oversold`. */
export function inWords(schedules: number, faults: Record<string, number>): string {
  const found = Object.entries(faults).filter(([, count]) => count > 0);
  if (found.length === 0) return `All ${schedules} schedules hold.`;
  const wrong = found.map(([fault, count]) => `${count} ${WORDS[fault] ?? fault}`);
  return `Of ${schedules} schedules, ${wrong.join(', ')}.`;
}
