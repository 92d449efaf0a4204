import type { Playing } from './use-run.ts';

interface ProgressProps {
  /** The component does not show the result, so the result may have any type. */
  exploring: Playing<unknown>;
}

/** Shows the progress of an exploration, in words and as a bar. */
export function Progress({ exploring }: ProgressProps) {
  switch (exploring.name) {
    case 'asked':
      return <p class="progress">Asking…</p>;
    case 'queued':
      return (
        <p class="progress">
          Somebody else explores. You are number {exploring.data.place} in line.
        </p>
      );
    case 'progress': {
      const { schedules, of } = exploring.data;
      return (
        <p class="progress">
          <progress
            value={of === null ? undefined : schedules}
            max={of ?? undefined}
            aria-label="Schedules played"
          />{' '}
          {schedules}
          {of === null ? '' : ` of ${of}`} schedules
        </p>
      );
    }
    case 'failed':
      return (
        <p class="progress bad" role="alert">
          {exploring.data.detail}
        </p>
      );
    case 'done':
      return null;
  }
}
