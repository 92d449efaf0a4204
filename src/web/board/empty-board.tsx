import { searched } from '../parts/search.ts';
import type { BoardAddress } from './address.ts';

export interface EmptyBoardProps {
  filter: Pick<BoardAddress, 'q' | 'status' | 'after'>;
  onShowAll(change: Pick<BoardAddress, 'q' | 'status'>): void;
}

/** Tells why the page shows no jobs. A button removes the filters. */
export function EmptyBoard({ filter: { q, status, after }, onShowAll }: EmptyBoardProps) {
  const isAll = !searched(q).q && !status && !after;
  const which = [status, 'job', searched(q).q && `with “${q.trim()}”`].filter(Boolean).join(' ');
  return (
    <div class="empty">
      <p>
        {isAll
          ? 'No job has been posted yet. New jobs appear here.'
          : `There is no ${which}${after ? ' on this page' : ''}.`}
      </p>
      {!isAll && (
        <button type="button" onClick={() => onShowAll({ q: '', status: '' })}>
          Show all jobs
        </button>
      )}
    </div>
  );
}
