import type { ToldChapter } from '../api.ts';

interface LegendProps {
  race: ToldChapter['race'];
  /** Whether some session waits for a lock. */
  hasWaits: boolean;
}

/** Explains the bars, and defines the hatched pattern of all waits. */
export const Legend = ({ race: { kind }, hasWaits }: LegendProps) => (
  <p class="legend">
    <svg class="unseen" aria-hidden="true">
      <defs>
        <pattern
          id="lock-wait"
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect class="hatch-ground" width="6" height="6" />
          <rect class="hatch-line" width="2.5" height="6" />
        </pattern>
      </defs>
    </svg>
    <span class="bars">
      <svg aria-hidden="true">
        <rect class="statement" width="100%" height="100%" />
      </svg>
      a statement
    </span>
    {kind === 'crashes' ? <OfCrashes /> : <OfRequests hasWaits={hasWaits} />}
  </p>
);

const OfRequests = ({ hasWaits }: Pick<LegendProps, 'hasWaits'>) => (
  <>
    {hasWaits && (
      <span class="bars">
        <svg aria-hidden="true">
          <rect class="wait" width="100%" height="100%" fill="url(#lock-wait)" />
        </svg>
        waits for the lock of another session
      </span>
    )}
    <span class="bars">
      <svg aria-hidden="true">
        <rect class="request" y="45%" width="100%" height="10%" />
      </svg>
      between statements, or waiting for one of 20 connections
    </span>
    <span>
      <span class="good">● 200</span> succeeded
    </span>
    <span>○ another status: refused</span>
  </>
);

const OfCrashes = () => (
  <>
    <span class="bars">
      <svg aria-hidden="true">
        <rect class="outside" width="100%" height="100%" />
      </svg>
      an effect outside the database
    </span>
    <span>
      <span class="good">● done</span> worked until the end
    </span>
    <span>
      <span class="bad">✕ died</span> its process was killed
    </span>
    <span>○ error: ended in an error</span>
  </>
);
