import type { Slots as SlotCounts } from './jobs.ts';

/**
 * The maximum number of dots of a job. People do not count more dots, so a job with more slots has
 * no dots.
 */
const MOST_DOTS = 12;

/**
 * Shows a job's slots in words and as dots. The dots of claimed slots are filled, and the
 * recruiter's own slot is marked.
 */
export function Slots({ capacity, claimed, isYours }: SlotCounts & { isYours: boolean }) {
  const dots = capacity <= MOST_DOTS ? Array.from({ length: capacity }, (_, at) => at) : [];
  const yours = isYours ? claimed - 1 : -1;
  return (
    <div class="slots">
      {dots.length > 0 && (
        <span class="dots" aria-hidden="true">
          {dots.map((at) => (
            <span
              key={at}
              class={at === yours ? 'dot yours' : at < claimed ? 'dot claimed' : 'dot'}
            />
          ))}
        </span>
      )}
      <span class="slots-words">
        {claimed} of {capacity} claimed
      </span>
    </div>
  );
}
