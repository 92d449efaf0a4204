import type { Slots as SlotCounts } from './jobs.ts';

/** More than this would be a line of dots that nobody counts. */
const MOST_DOTS = 12;

/** A job's slots as dots, the claimed ones filled, one of them yours; and in words. */
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
