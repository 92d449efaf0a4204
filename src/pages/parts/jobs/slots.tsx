import type { Slots as SlotCounts } from './jobs.ts';

/** The most dots of a job. People do not count more, so a job with more slots has no dots. */
const MOST_DOTS = 12;

/** A job's slots in words and as dots. Claimed slots are filled, and your own slot is marked. */
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
