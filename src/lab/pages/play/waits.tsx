export interface Wait {
  from: number;
  to: number;
  /** Whether the wait is part of a cycle of waits. */
  isDeadlock: boolean;
}

interface WaitsProps {
  waits: Wait[];
  sessions: number;
}

/** Draws arrows between the lanes that show who waits for whom. The lanes say the same in words. */
export const Waits = ({ waits, sessions }: WaitsProps) => (
  <>
    <Arrows waits={waits} sessions={sessions} axis="x" />
    <Arrows waits={waits} sessions={sessions} axis="y" />
  </>
);

/**
 * Draws the arrows along the x axis for lanes side by side, and along the y axis for lanes one
 * below the other.
 */
function Arrows({ waits, sessions, axis }: WaitsProps & { axis: 'x' | 'y' }) {
  const along = (session: number) => `${((session - 0.5) * 100) / sessions}%`;
  const other = axis === 'x' ? 'y' : 'x';
  return (
    <svg class={`waits along-${axis}`} aria-hidden="true">
      <defs>
        {['wait', 'deadlock'].map((kind) => (
          <marker
            key={kind}
            id={`${kind}-${axis}`}
            class={kind}
            viewBox="0 0 10 10"
            refX="9"
            refY="5"
            markerWidth="5"
            markerHeight="5"
            orient="auto-start-reverse"
          >
            <path d="M0 0 L10 5 L0 10 z" />
          </marker>
        ))}
      </defs>
      {waits.map(({ from, to, isDeadlock }, index) => {
        const kind = isDeadlock ? 'deadlock' : 'wait';
        const across = `${((index + 1) * 100) / (waits.length + 1)}%`;
        return (
          <g key={`${from}-${to}`} class={kind}>
            <circle {...{ [`c${axis}`]: along(from), [`c${other}`]: across }} r="6" />
            <line
              {...{ [`${axis}1`]: along(from), [`${axis}2`]: along(to) }}
              {...{ [`${other}1`]: across, [`${other}2`]: across }}
              marker-end={`url(#${kind}-${axis})`}
            />
          </g>
        );
      })}
    </svg>
  );
}
