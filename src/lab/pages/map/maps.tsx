import type { Child } from 'hono/jsx';
import { useMemo, useState } from 'hono/jsx/dom';
import type { Explored } from '../../explorations/exploration.ts';
import type { ToldChapter } from '../api.ts';
import { focusOn } from '../focus.ts';
import { chapterOf, entryAt, explorationAt, type PartProps } from '../part.ts';
import { hrefOf, type Place } from '../place.ts';
import { Progress } from '../progress.tsx';
import { usePlaying } from '../use-run.ts';
import { OrdersMap } from './orders-map.tsx';

interface MapsProps extends Pick<PartProps, 'go' | 'strategies' | 'chapters'> {
  /** The places whose orders are drawn. All their strategies are in one chapter. */
  places: readonly Place[];
  heading: 'h3' | 'h4';
}

const HEADING = 'all-orders';

/** Shows a button that draws the maps of all orders, beside each other. */
export function Maps({ places, heading: Heading, ...props }: MapsProps) {
  const [isWanted, setWanted] = useState(false);
  const chapter = chapterOf(props, entryAt(props.strategies, places[0]?.strategy ?? ''));
  const several = places.length > 1;
  return (
    <section aria-labelledby={HEADING}>
      <Heading id={HEADING} tabindex={-1}>
        {several ? 'The maps of all orders' : 'The map of all orders'}
      </Heading>
      {isWanted ? (
        <div class="maps">
          {places.map((place) => (
            <OneMap key={place.strategy} {...props} place={place} chapter={chapter}>
              {several && <figcaption>{place.strategy}</figcaption>}
            </OneMap>
          ))}
        </div>
      ) : (
        <>
          <p>
            Each tile is one order of the steps of {places[0]?.sessions} {chapter.session.many}.
            Orders with the same beginning are in one branch.
          </p>
          <button
            type="button"
            onClick={() => {
              setWanted(true);
              focusOn(HEADING);
            }}
          >
            {several ? 'Draw the maps' : 'Draw the map'}
          </button>
        </>
      )}
    </section>
  );
}

interface OneMapProps extends Pick<PartProps, 'go' | 'strategies'> {
  place: Place;
  chapter: ToldChapter;
  children?: Child;
}

/** Plays every order of a place, and draws the map. */
function OneMap({ place, go, strategies, chapter, children }: OneMapProps) {
  const [tries, setTries] = useState(1);
  const path = `${explorationAt(strategies, place)}&orders=listed`;
  const request = useMemo(() => ({ path }), [path, tries]);
  const playing = usePlaying<Explored>(request);
  const done = playing?.name === 'done' ? playing.data : undefined;
  const placeIn = (schedule: string): Place => ({
    ...place,
    view: 'play',
    step: null,
    schedule: schedule.split(','),
  });
  return (
    <figure>
      {children}
      <p class="unseen" role="status">
        {done ? 'The map is drawn' : playing?.name === 'failed' ? '' : 'Playing every order'}
      </p>
      {playing && <Progress exploring={playing} />}
      {playing?.name === 'failed' && (
        <button type="button" onClick={() => setTries(tries + 1)}>
          Try again
        </button>
      )}
      {done?.orders && (
        <OrdersMap
          orders={done.orders}
          isComplete={done.isComplete}
          faults={chapter.faults}
          hrefOf={({ schedule }) => hrefOf(placeIn(schedule))}
          onOpen={(schedule) => go(placeIn(schedule))}
        />
      )}
    </figure>
  );
}
