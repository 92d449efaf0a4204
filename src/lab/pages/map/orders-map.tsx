import { useMemo, useState } from 'hono/jsx/dom';
import type { Order } from '../../explorations/orders.ts';
import { opensElsewhere } from '../link.tsx';
import { type Drawing, drawOrders } from './draw-orders.ts';
import { treeOf } from './orders.ts';

interface OrdersMapProps extends Required<Pick<Drawing, 'faults' | 'hrefOf'>> {
  orders: readonly Order[];
  /** Whether there are no other orders. */
  isComplete: boolean;
  /** Called with the schedule of a tile that a person presses. */
  onOpen: (schedule: string) => void;
}

/** Draws the map of these orders. */
export function OrdersMap({ orders, isComplete, faults, hrefOf, onOpen }: OrdersMapProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const tree = useMemo(() => treeOf(orders), [orders]);
  // A new object would replace the drawing, and take the focus from its tiles.
  const html = useMemo(
    () => ({ __html: drawOrders(tree, { faults, hrefOf, open }) }),
    [tree, open],
  );
  const file = useMemo(
    () => `data:image/svg+xml,${encodeURIComponent(drawOrders(tree, { faults }))}`,
    [tree],
  );
  const press = (event: Event) => {
    const tile = tileAt(event);
    if (tile === undefined) return toggle(event);
    event.preventDefault();
    onOpen(tile.dataset.order ?? '');
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
          if (!opensElsewhere(event)) press(event);
        }}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key !== 'Enter' && event.key !== ' ') moveBetweenTiles(event);
          // The browser follows a link by itself, and also knows Ctrl+Enter.
          else if (!(event.target as Element).closest('a')) press(event);
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

const tileAt = (event: Event) =>
  (event.target as Element).closest<SVGElement>('[data-order]') ?? undefined;

const MOVES: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

/** Moves the focus to the next or the previous tile. */
function moveBetweenTiles(event: KeyboardEvent) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const by = MOVES[event.key];
  const tile = tileAt(event);
  if (by === undefined || !tile) return;
  const tiles = [...(tile.closest('svg')?.querySelectorAll<SVGElement>('[data-order]') ?? [])];
  tiles[tiles.indexOf(tile) + by]?.focus();
  event.preventDefault();
  // These keys also step through the counterexample.
  event.stopPropagation();
}
