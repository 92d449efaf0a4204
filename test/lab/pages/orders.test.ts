import { expect, test } from 'vitest';
import type { Order } from '../../../src/lab/explorations/orders.ts';
import { drawOrders } from '../../../src/lab/pages/map/draw-orders.ts';
import { type Branch, treeOf } from '../../../src/lab/pages/map/orders.ts';

const orderOf = (schedule: string, fault = ''): Order => ({ schedule, fault });

/** Writes a branch as its choices, with its parts in brackets. */
const inWords = ({ choices, parts }: Branch): string =>
  choices.join('') + (parts.length > 0 ? `(${parts.map(inWords).join(' ')})` : '');

test('orders lie in one branch until they part', () => {
  const orders = ['1,1,2,2', '1,2,1,2', '1,2,2,1', '2,1,1,2'].map((each) => orderOf(each));
  const tree = treeOf(orders);
  expect(inWords(tree)).toBe('(1(122 2(12 21)) 2112)');
  expect(tree.parts.map(({ path, orders }) => [path.join(), orders.length])).toEqual([
    ['1', 3],
    ['2,1,1,2', 1],
  ]);
});

test('orders with the same beginning part later', () => {
  expect(inWords(treeOf(['1,1,2', '1,1,k1'].map((each) => orderOf(each))))).toBe('11(2 k1)');
  expect(inWords(treeOf([orderOf('1,2')]))).toBe('12');
  expect(inWords(treeOf([]))).toBe('');
});

const faults = [
  { name: 'oversold', inWords: 'oversold' },
  { name: 'deadlock', inWords: 'deadlocked' },
];
const orders = [
  orderOf('1,1,2,2'),
  orderOf('1,2,1,2', 'oversold'),
  orderOf('2,1,1,2', 'deadlock'),
  orderOf('2,2,1,1'),
];

test('the map has a tile with a shape for each order, and says how many there are of each kind', () => {
  const svg = drawOrders(treeOf(orders), { faults });
  expect(svg).toContain('aria-label="4 orders: 1 oversold, 1 deadlocked, 2 hold"');
  expect(svg.match(/<title>/g)).toHaveLength(4);
  expect(
    [...svg.matchAll(/<title>(.*?)<\/title>.*?>([✓✗▲■◆●])<\/text>/g)].map((each) => each.slice(1)),
  ).toEqual([
    ['1,1,2,2: holds', '✓'],
    ['1,2,1,2: oversold', '✗'],
    ['2,1,1,2: deadlocked', '▲'],
    ['2,2,1,1: holds', '✓'],
  ]);
  expect(svg).not.toContain('<a ');
});

test('a tile leads to its order, and a text cannot become markup', () => {
  const hrefOf = ({ schedule }: Order) => `?schedule=${schedule}&"<b>`;
  const svg = drawOrders(treeOf(orders), { faults, hrefOf });
  expect(svg).toContain(
    '<a href="?schedule=1,1,2,2&amp;&quot;&lt;b&gt;" aria-label="1,1,2,2: holds" data-order="1,1,2,2">',
  );
  expect(svg).not.toContain('<b>');
});

/** Returns all orders of two sessions with this number of steps each. */
function allOrders(steps: number): Order[] {
  const grow = (one: number, two: number): string[][] =>
    one + two === 0
      ? [[]]
      : [
          ...(one > 0 ? grow(one - 1, two).map((rest) => ['1', ...rest]) : []),
          ...(two > 0 ? grow(one, two - 1).map((rest) => ['2', ...rest]) : []),
        ];
  return grow(steps, steps).map((each) => orderOf(each.join()));
}

test('a large branch is folded until somebody opens it, and a saved map has no folded branch', () => {
  const tree = treeOf(allOrders(5));
  const folded = drawOrders(tree, { faults, open: new Set() });
  expect(folded.match(/<title>/g)).toBeNull();
  expect(folded).toContain('aria-expanded="false" data-branch="1"');
  const open = drawOrders(tree, { faults, open: new Set(['1']) });
  expect(open.match(/<title>/g)).toHaveLength(126);
  expect(open).toContain('aria-expanded="true" data-branch="1"');
  expect(drawOrders(tree, { faults }).match(/<title>/g)).toHaveLength(252);
});
