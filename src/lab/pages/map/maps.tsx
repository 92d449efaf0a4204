import type { Child } from 'hono/jsx';
import { useMemo, useState } from 'hono/jsx/dom';
import type { Explored, Order } from '../../explorations/exploration.ts';
import type { ToldChapter } from '../api.ts';
import { focusOn } from '../focus.ts';
import { opensElsewhere } from '../link.tsx';
import { chapterOf, entryAt, explorationAt, type PartProps } from '../part.ts';
import { hrefOf, type Place, readPlace } from '../place.ts';
import { Progress } from '../progress.tsx';
import { usePlaying } from '../use-run.ts';
import { drawOrders } from './draw-orders.ts';
import { treeOf } from './orders.ts';

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
          place={place}
          go={go}
          chapter={chapter}
        />
      )}
    </figure>
  );
}

interface OrdersMapProps extends Omit<OneMapProps, 'strategies' | 'children'> {
  orders: readonly Order[];
  isComplete: boolean;
}

function OrdersMap({ orders, isComplete, place, go, chapter }: OrdersMapProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const tree = useMemo(() => treeOf(orders), [orders]);
  const { faults } = chapter;
  const hrefOfOrder = ({ schedule }: Order) =>
    hrefOf({ ...place, view: 'play', step: null, schedule: schedule.split(',') });
  // A new object would replace the drawing, and take the focus from its tiles.
  const html = useMemo(
    () => ({ __html: drawOrders(tree, { faults, hrefOf: hrefOfOrder, open }) }),
    [tree, open],
  );
  const file = useMemo(
    () => `data:image/svg+xml,${encodeURIComponent(drawOrders(tree, { faults }))}`,
    [tree],
  );
  const follow = (event: MouseEvent) => {
    const link = (event.target as Element).closest('a');
    if (!link || opensElsewhere(event)) return;
    event.preventDefault();
    go(readPlace(link.getAttribute('href') ?? ''));
  };
  const toggle = (event: Event) => {
    const target = event.target as Element;
    const map = target.closest('.order-map');
    const branch = target.closest<SVGElement>('[data-branch]')?.dataset.branch;
    if (branch === undefined) return;
    event.preventDefault();
    setOpen(toggled(open, branch));
    // The new drawing has replaced the focused branch. So the branch gets the focus again.
    requestAnimationFrame(() =>
      map?.querySelector<SVGElement>(`[data-branch="${branch}"]`)?.focus(),
    );
  };
  return (
    <>
      {!isComplete && (
        <p>
          There are more orders. The map shows the {orders.length} orders with the fewest switches
          between sessions.
        </p>
      )}
      {/* biome-ignore lint/a11y: the links and buttons are inside of the drawing. */}
      <div
        class="order-map"
        onClick={(event: MouseEvent) => {
          follow(event);
          toggle(event);
        }}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === 'Enter' || event.key === ' ') toggle(event);
          else moveBetweenTiles(event);
        }}
        dangerouslySetInnerHTML={html}
      />
      <p class="row">
        <a class="button" download="orders.svg" href={file}>
          Save as SVG
        </a>
      </p>
    </>
  );
}

function toggled(open: ReadonlySet<string>, branch: string): ReadonlySet<string> {
  const after = new Set(open);
  if (!after.delete(branch)) after.add(branch);
  return after;
}

const MOVES: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

/** Moves the focus to the next or the previous tile. */
function moveBetweenTiles(event: KeyboardEvent) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const by = MOVES[event.key];
  const tile = (event.target as Element).closest('a');
  if (by === undefined || !tile) return;
  const tiles = [...(tile.closest('svg')?.querySelectorAll('a') ?? [])];
  tiles[tiles.indexOf(tile) + by]?.focus();
  event.preventDefault();
  // These keys also step through the counterexample.
  event.stopPropagation();
}
