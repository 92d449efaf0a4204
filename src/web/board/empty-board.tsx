import { searched } from '../parts/search.ts';
import type { Filter } from './jobs/jobs.ts';

export interface EmptyBoardProps {
  filter: Filter;
  onShowAll(change: Pick<Filter, 'q' | 'status'>): void;
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
