import { useMemo, useState } from 'hono/jsx/dom';
import type { Explored, Order } from '../../explorations/exploration.ts';
import type { ToldChapter } from '../api.ts';
import { focusOn } from '../focus.ts';
import { opensElsewhere } from '../link.tsx';
import type { PartProps } from '../part.ts';
import { hrefOf, readPlace } from '../place.ts';
import { type RunRequest, usePlaying } from '../use-run.ts';
import { drawOrders } from './draw-orders.ts';
import { treeOf } from './orders.ts';
import { Progress } from './progress.tsx';

interface AllOrdersProps extends Pick<PartProps, 'place' | 'go'> {
  /** The request that plays every order. */
  path: string;
  chapter: ToldChapter;
}

const HEADING = 'all-orders';

/** Shows a button that draws the map of all orders. */
export function AllOrders({ path, ...props }: AllOrdersProps) {
  const [request, setRequest] = useState<RunRequest | undefined>(undefined);
  const playing = usePlaying<Explored>(request);
  const done = playing?.name === 'done' ? playing.data : undefined;
  return (
    <section aria-labelledby={HEADING}>
      <h3 id={HEADING} tabindex={-1}>
        The map of all orders
      </h3>
      {(!request || playing?.name === 'failed') && (
        <>
          <p>Each order is a tile. Orders with the same beginning are in one branch.</p>
          <button
            type="button"
            onClick={() => {
              setRequest({ path: `${path}&orders=listed` });
              focusOn(HEADING);
            }}
          >
            Draw the map
          </button>
        </>
      )}
      <p class="unseen" role="status">
        {playing && !done && playing.name !== 'failed' ? 'Playing every order' : ''}
        {done ? 'The map is drawn' : ''}
      </p>
      {playing && <Progress exploring={playing} />}
      {done?.orders && <OrdersMap {...props} orders={done.orders} isComplete={done.isComplete} />}
    </section>
  );
}

interface OrdersMapProps extends Omit<AllOrdersProps, 'path'> {
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
    const branch = (event.target as Element).closest<SVGElement>('[data-branch]')?.dataset.branch;
    if (branch === undefined) return;
    event.preventDefault();
    setOpen(toggled(open, branch));
    // The new drawing has replaced the focused branch. So the branch gets the focus again.
    requestAnimationFrame(() =>
      document.querySelector<SVGElement>(`.order-map [data-branch="${branch}"]`)?.focus(),
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
