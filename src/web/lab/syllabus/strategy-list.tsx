import { PlaceLink } from '../link.tsx';
import type { PartProps } from '../part.ts';
import { Verdict } from '../verdict.tsx';

export function StrategyList({ place, go, strategies }: PartProps) {
  return (
    <nav class="strategies" aria-label="Strategies">
      <ol>
        {strategies.map(({ name, verdict }) => (
          <li key={name}>
            <PlaceLink
              place={place}
              go={go}
              to={{ strategy: name, schedule: [], step: null }}
              isCurrent={name === place.strategy}
            >
              <span class="name">{name}</span> <Verdict verdict={verdict} />
            </PlaceLink>
          </li>
        ))}
      </ol>
    </nav>
  );
}
