import { PlaceLink } from '../link.tsx';
import { addressOf, entryAt, type PartProps } from '../part.ts';
import { VerdictMark } from '../verdict.tsx';

export function StrategyList({ place, go, strategies }: PartProps) {
  return (
    <nav class="strategies" aria-label="Strategies">
      <ol>
        {strategies.map((each) => (
          <li key={addressOf(each)}>
            <PlaceLink
              place={place}
              go={go}
              to={{ strategy: addressOf(each), situation: '', schedule: [], step: null }}
              isCurrent={each === entryAt(strategies, place.strategy)}
            >
              <span class="name">{each.name}</span> <VerdictMark verdict={each.verdict} />
            </PlaceLink>
          </li>
        ))}
      </ol>
    </nav>
  );
}
