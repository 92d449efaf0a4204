import { useMemo, useState } from 'hono/jsx/dom';
import type { Explored, Order } from '../../explorations/exploration.ts';
import type { ToldChapter } from '../api.ts';
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

/** Shows a button, and after its press the map of all orders. */
export function AllOrders({ path, ...props }: AllOrdersProps) {
  const [request, setRequest] = useState<RunRequest | undefined>(undefined);
  const playing = usePlaying<Explored>(request);
  const done = playing?.name === 'done' ? playing.data : undefined;
  return (
    <section aria-labelledby="all-orders">
      <h3 id="all-orders">The map of all orders</h3>
      {!request && (
        <>
          <p>Each order becomes a tile. The orders lie together until they part.</p>
          <button type="button" onClick={() => setRequest({ path: `${path}&orders=listed` })}>
            Draw the map
          </button>
        </>
      )}
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
  const svg = drawOrders(tree, { faults, hrefOf: hrefOfOrder, open });
  const follow = (event: MouseEvent) => {
    const link = (event.target as Element).closest('a');
    if (!link || hasModifier(event)) return;
    event.preventDefault();
    go(readPlace(link.getAttribute('href') ?? ''));
  };
  const toggle = (event: Event) => {
    const branch = (event.target as Element).closest<SVGElement>('[data-branch]')?.dataset.branch;
    if (branch === undefined) return;
    event.preventDefault();
    setOpen(toggled(open, branch));
    // The drawing is new, and no element has the focus.
    requestAnimationFrame(() =>
      document.querySelector<SVGElement>(`.order-map [data-branch="${branch}"]`)?.focus(),
    );
  };
  return (
    <>
      {!isComplete && <p>There are more orders. The map shows the first {orders.length}.</p>}
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
        dangerouslySetInnerHTML={{ __html: svg }}
      />
      <p class="row">
        <a
          class="button"
          download="orders.svg"
          href={`data:image/svg+xml,${encodeURIComponent(drawOrders(tree, { faults }))}`}
        >
          Save as SVG
        </a>
      </p>
    </>
  );
}

const hasModifier = ({ ctrlKey, metaKey, shiftKey, button }: MouseEvent) =>
  ctrlKey || metaKey || shiftKey || button > 0;

function toggled(open: ReadonlySet<string>, branch: string): ReadonlySet<string> {
  const after = new Set(open);
  if (!after.delete(branch)) after.add(branch);
  return after;
}

const MOVES: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

/** Moves the focus to the next or the previous tile. */
function moveBetweenTiles(event: KeyboardEvent) {
  const by = MOVES[event.key];
  const tile = (event.target as Element).closest('a');
  if (by === undefined || !tile) return;
  const tiles = [...(tile.closest('svg')?.querySelectorAll('a') ?? [])];
  tiles[tiles.indexOf(tile) + by]?.focus();
  event.preventDefault();
  // These keys also step through the counterexample.
  event.stopPropagation();
}
