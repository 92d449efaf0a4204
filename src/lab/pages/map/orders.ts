import type { Order } from '../../explorations/orders.ts';

/** All orders that begin with the same choices. */
export interface Branch {
  /** The choices after the choices of the parent branch. */
  choices: string[];
  /** All choices from the beginning. */
  path: string[];
  orders: Order[];
  /** The branches inside this branch. Empty if there is only one order. */
  parts: Branch[];
}

/**
 * Returns the tree of sorted orders. Each branch parts at the first choice in which its orders differ.
 */
export function treeOf(orders: readonly Order[]): Branch {
  const read = orders.map((order): Read => ({ order, choices: order.schedule.split(',') }));
  return branchOf(read, 0);
}

interface Read {
  order: Order;
  choices: string[];
}

/** Returns the branch of these orders. They all have the same first `from` choices. */
function branchOf(orders: readonly Read[], from: number): Branch {
  const [first, last] = [orders.at(0)?.choices ?? [], orders.at(-1)?.choices ?? []];
  let to = from;
  // The orders are sorted. So if the first and the last share a choice, all share it.
  while (to < first.length && first[to] === last[to]) to++;
  return {
    choices: first.slice(from, to),
    path: first.slice(0, to),
    orders: orders.map(({ order }) => order),
    parts: orders.length > 1 ? partsAt(orders, to).map((part) => branchOf(part, to)) : [],
  };
}

/** Divides sorted orders by their choice at this index. */
function partsAt(orders: readonly Read[], index: number): Read[][] {
  const parts = new Map<string | undefined, Read[]>();
  for (const read of orders) {
    const choice = read.choices[index];
    const part = parts.get(choice);
    if (part) part.push(read);
    else parts.set(choice, [read]);
  }
  return [...parts.values()];
}

/** Counts the orders with each fault. The empty text counts the orders that hold. */
export function countFaults(orders: readonly Order[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { fault } of orders) counts.set(fault, (counts.get(fault) ?? 0) + 1);
  return counts;
}
