/** Shows the milliseconds below the lanes, with about five ticks at round numbers. */
export function Axis({ scale }: { scale: number }) {
  const step = stepFor(scale);
  const ticks = Array.from({ length: Math.floor(scale / step) + 1 }, (_, index) => index * step);
  return (
    <div class="axis">
      <svg width="100%" height="100%" aria-hidden="true">
        {ticks.map((tick) => {
          const x = `${(100 * tick) / scale}%`;
          return (
            <g key={tick}>
              <line x1={x} x2={x} y1="0" y2="0.4rem" />
              <text x={x} y="1.3rem" text-anchor={tick === 0 ? 'start' : 'middle'}>
                {tick}
              </text>
            </g>
          );
        })}
      </svg>
      <span>ms</span>
    </div>
  );
}

/** Returns the distance between ticks: 1, 2, 5 or 10 times a power of ten. */
function stepFor(scale: number): number {
  const rough = scale / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((step) => step * power >= rough) ?? 10);
}
