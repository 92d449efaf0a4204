import type { SyllabusEntry } from '../api.ts';
import { PlaceLink } from '../link.tsx';
import { addressOf, entryAt, type PartProps } from '../part.ts';
import { VerdictMark } from '../verdict.tsx';

/** All strategies with their verdicts. Each chapter has a heading. */
export const StrategyList = ({ strategies, chapters, ...props }: PartProps) => (
  <nav class="strategies" aria-label="Strategies">
    {chapters.map(({ name }) => (
      <section key={name} aria-labelledby={`chapter-${name}`}>
        <h3 id={`chapter-${name}`}>{name}</h3>
        <ol>
          {strategies
            .filter(({ chapter }) => chapter === name)
            .map((each) => (
              <Strategy
                key={addressOf(each)}
                {...props}
                entry={each}
                isCurrent={each === entryAt(strategies, props.place.strategy)}
              />
            ))}
        </ol>
      </section>
    ))}
  </nav>
);

interface StrategyProps extends Pick<PartProps, 'place' | 'go'> {
  entry: SyllabusEntry;
  isCurrent: boolean;
}

const Strategy = ({ place, go, entry, isCurrent }: StrategyProps) => (
  <li>
    <PlaceLink
      place={place}
      go={go}
      to={{ strategy: addressOf(entry), situation: '', schedule: [], step: null }}
      isCurrent={isCurrent}
    >
      <span class="name">{entry.name}</span> <VerdictMark verdict={entry.verdict} />
    </PlaceLink>
  </li>
);
