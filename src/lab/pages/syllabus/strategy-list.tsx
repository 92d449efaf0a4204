import { useRef } from 'hono/jsx/dom';
import { useStore } from '../../../pages/parts/store.ts';
import { useEffect } from '../../../pages/parts/use-effect.ts';
import type { SyllabusEntry } from '../api.ts';
import { PlaceLink } from '../link.tsx';
import { addressOf, entryAt, type PartProps } from '../part.ts';
import { VerdictMark } from '../verdict.tsx';
import { guesses, isHidden } from './guesses.ts';

/**
 * Lists all strategies with their verdicts. Each chapter has a heading. The list is longer than the
 * screen, so it scrolls to the current strategy.
 */
export function StrategyList({ strategies, chapters, ...props }: PartProps) {
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    // The effect runs before the list is on the page. The list and its links have a size only a
    // frame later.
    const frame = requestAnimationFrame(() => {
      const current = list.current?.querySelector<HTMLElement>('[aria-current]');
      if (list.current && current) bringIntoView(list.current, current);
    });
    return () => cancelAnimationFrame(frame);
  }, [props.place.strategy]);
  return (
    <nav ref={list} class="strategies" aria-label="Strategies">
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
}

/** Scrolls only the list, and only if the link is out of sight. */
function bringIntoView(list: HTMLElement, link: HTMLElement) {
  const box = list.getBoundingClientRect();
  const { top, bottom } = link.getBoundingClientRect();
  if (top < box.top || bottom > box.bottom) list.scrollTop += top - box.top - box.height / 2;
}

interface StrategyProps extends Pick<PartProps, 'place' | 'go'> {
  entry: SyllabusEntry;
  isCurrent: boolean;
}

const Strategy = ({ place, go, entry, isCurrent }: StrategyProps) => {
  const hidden = isHidden(useStore(guesses), entry);
  return (
    <li>
      <PlaceLink
        place={place}
        go={go}
        to={{ strategy: addressOf(entry), situation: '', schedule: [], step: null }}
        isCurrent={isCurrent}
      >
        <span class="name">{entry.name}</span>{' '}
        {hidden ? <Hidden /> : <VerdictMark verdict={entry.verdict} />}
      </PlaceLink>
    </li>
  );
};

const Hidden = () => (
  <span class="verdict">
    <span aria-hidden="true">?</span>
    <span class="unseen">verdict hidden</span>
  </span>
);
