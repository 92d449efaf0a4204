import type { Liveness } from './use-live.ts';

const words = {
  connecting: 'Connecting…',
  live: 'Live',
  reconnecting: 'Reconnecting…',
  crowded: 'Not live: five other tabs are live',
} as const satisfies Record<Liveness, string>;

/** Shows whether the page is up to date. */
export const LiveBadge = ({ liveness }: { liveness: Liveness }) => (
  <p role="status" class={`live-badge ${liveness}`}>
    {words[liveness]}
  </p>
);
