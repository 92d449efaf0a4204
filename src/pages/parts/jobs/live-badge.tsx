import type { FollowStatus } from '../../../client/index.ts';

const words = {
  connecting: 'Connecting…',
  live: 'Live',
  reconnecting: 'Reconnecting…',
  offline: 'Offline',
  crowded: 'Not live: this browser has five other streams',
  refused: 'Not live: the service refuses',
} as const satisfies Record<FollowStatus, string>;

/** Shows whether the page is up to date. */
export const LiveBadge = ({ status }: { status: FollowStatus }) => (
  <p role="status" class={`live-badge ${status}`}>
    {words[status]}
  </p>
);
