import type { Order } from '../../explorations/orders.ts';
import { type Branch, countFaults } from './orders.ts';

/** A fault in words, such as `oversold`. The gravest fault comes first. */
export interface NamedFault {
  name: string;
  inWords: string;
}

export interface Drawing {
  faults: readonly NamedFault[];
  /**
   * Returns the address that a tile opens. A tile without an address is a button. Without this
   * function, the drawing is a picture, and nobody can press its tiles.
   */
  hrefOf?: (order: Order) => string | undefined;
  /** The branches that a person has opened, such as `1,1,2`. Without this list, all are open. */
  open?: ReadonlySet<string> | undefined;
}

/** All sizes are in pixels. A map with few orders is narrower. */
const WIDTH = 640;
/** Estimates the width of a character. The estimate is a little too large, so texts fit. */
const CHARACTER = 7.5;
const TILE = 18;
const GAP = 4;
const LINE = 22;
const INDENT = 14;
/** A branch with at most this many orders shows its tiles in one row, and no further branches. */
const MOST_IN_ROW = 24;
/** A larger branch is folded until somebody opens it. */
const MOST_OPEN = 100;

/** Each fault has a shape and a colour, because some people see no colours. */
const GOOD = { mark: '✓', colour: '#2f7d46' };
/** The gravest fault of a map gets the first look. No exploration has more than five faults. */
const BAD = [
  { mark: '✗', colour: '#c0392b' },
  { mark: '▲', colour: '#a15c00' },
  { mark: '■', colour: '#7a3fa0' },
  { mark: '◆', colour: '#2467a8' },
  { mark: '★', colour: '#8f3b76' },
];
const OTHER = { mark: '●', colour: '#6b6b6b' };
/** On a page, the drawing has the text colour of the page. In a saved picture, the text is black. */
const INK = 'currentColor';

/**
 * Draws all orders as SVG: one tile for each order. Each branch has its own tiles. Without links, the
 * result is a separate picture with a white background.
 */
export function drawOrders(tree: Branch, given: Drawing): string {
  const counts = countFaults(tree.orders);
  // The looks go to the faults of this map.
  const drawing = { ...given, faults: given.faults.filter(({ name }) => counts.has(name)) };
  const legend = legendOf(counts, drawing);
  const words = `${tree.orders.length} orders: ${legend.map((each) => each.words).join(', ')}`;
  const top = legend.length * LINE + GAP;
  const whole = drawWhole(tree, top, drawing);
  const width = Math.ceil(Math.max(whole.right, ...legend.map((each) => widthOf(each.words))));
  const height = top + whole.height;
  const isPicture = !drawing.hrefOf;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}"`,
    ` font-family="system-ui, sans-serif" font-size="13" role="${isPicture ? 'img' : 'group'}"`,
    ` aria-label="${escaped(words)}">`,
    isPicture ? '<rect width="100%" height="100%" fill="#fff"/>' : '',
    ...legend.map(
      (each, index) =>
        drawMark(each, 0, index * LINE) +
        `<text x="${TILE + GAP * 2}" y="${index * LINE + 14}" fill="${INK}">${escaped(each.words)}</text>`,
    ),
    `${whole.svg}</svg>`,
  ].join('');
}

/** Draws the beginning that all orders have, if there is one, and then the branches. */
function drawWhole(tree: Branch, y: number, drawing: Drawing): Drawn {
  if (tree.choices.length === 0 || tree.parts.length === 0) return drawParts(tree, 0, y, drawing);
  const head = drawHead(tree, 0, y, { ...drawing, open: undefined }, false);
  const inside = drawParts(tree, INDENT, y + LINE, drawing);
  return {
    height: LINE + inside.height,
    right: Math.max(head.right, inside.right),
    svg: head.svg + inside.svg,
  };
}

interface Look {
  mark: string;
  colour: string;
}

interface Drawn {
  height: number;
  /** The right edge of the drawing. */
  right: number;
  svg: string;
}

const drawBranch = (branch: Branch, ...where: [x: number, y: number, drawing: Drawing]): Drawn =>
  branch.orders.length <= MOST_IN_ROW
    ? drawTiles(branch.orders, ...where)
    : drawParts(branch, ...where);

function drawParts(branch: Branch, x: number, y: number, drawing: Drawing): Drawn {
  if (branch.parts.length === 0) return drawTiles(branch.orders, x, y, drawing);
  const drawn: string[] = [];
  let height = 0;
  let right = 0;
  for (const part of branch.parts) {
    const at = y + height;
    const name = part.path.join();
    const isFolded = part.orders.length > MOST_OPEN && drawing.open?.has(name) === false;
    const head = drawHead(part, x, at, drawing, isFolded);
    drawn.push(head.svg);
    right = Math.max(right, head.right);
    height += LINE;
    if (isFolded) continue;
    const inside = drawBranch(part, x + INDENT, at + LINE, drawing);
    drawn.push(inside.svg);
    height += inside.height + GAP;
    right = Math.max(right, inside.right);
  }
  return { height, right, svg: drawn.join('') };
}

/** Draws the name of a branch, and its orders in words. A large branch can be folded and opened. */
function drawHead(
  part: Branch,
  x: number,
  y: number,
  drawing: Drawing,
  isFolded: boolean,
): Omit<Drawn, 'height'> {
  const counted = legendOf(countFaults(part.orders), drawing);
  const choices = part.choices.map((choice) => choice.replace(/^(?=\d)/, 'S')).join(' ');
  const words = `${choices}: ${counted.map((each) => each.words).join(', ')}`;
  const right = x + widthOf(words);
  const text = `<text x="${x}" y="${y + 15}" fill="${INK}">`;
  if (part.orders.length <= MOST_OPEN || !drawing.open)
    return { right, svg: `${text}${escaped(words)}</text>` };
  const mark = isFolded ? '▸' : '▾';
  const button = `<g role="button" tabindex="0" aria-expanded="${!isFolded}"`;
  const svg = `${button} data-branch="${part.path.join()}">${text}${mark} ${escaped(words)}</text></g>`;
  return { right, svg };
}

const widthOf = (words: string): number => (words.length + 4) * CHARACTER;

function drawTiles(orders: readonly Order[], x: number, y: number, drawing: Drawing): Drawn {
  const inRow = Math.floor((WIDTH - x + GAP) / (TILE + GAP));
  const svg = orders.map((order, index) => {
    const left = x + (index % inRow) * (TILE + GAP);
    const top = y + Math.floor(index / inRow) * (TILE + GAP);
    return drawTile(order, left, top, drawing);
  });
  const height = Math.ceil(orders.length / inRow) * (TILE + GAP);
  const right = x + Math.min(inRow, orders.length) * (TILE + GAP) - GAP;
  return { height, right, svg: svg.join('') };
}

function drawTile(order: Order, x: number, y: number, drawing: Drawing): string {
  const look = lookOf(order.fault, drawing);
  const words = escaped(`${order.schedule}: ${wordsOf(order.fault, drawing)}`);
  const tile = `<title>${words}</title>${drawMark(look, x, y)}`;
  if (!drawing.hrefOf) return `<g>${tile}</g>`;
  const href = drawing.hrefOf(order);
  const name = `aria-label="${words}" data-order="${escaped(order.schedule)}"`;
  return href === undefined
    ? `<g role="button" tabindex="0" ${name}>${tile}</g>`
    : `<a href="${escaped(href)}" ${name}>${tile}</a>`;
}

/** Draws a tile. Its line keeps the tile visible on dark paper. */
const drawMark = ({ mark, colour }: Look, x: number, y: number): string =>
  `<rect x="${x + 0.5}" y="${y + 0.5}" width="${TILE - 1}" height="${TILE - 1}" rx="3"` +
  ` fill="${colour}" stroke="${INK}" stroke-opacity="0.4"/>` +
  `<text x="${x + TILE / 2}" y="${y + 13.5}" fill="#fff" text-anchor="middle">${mark}</text>`;

/** Returns the mark and the colour of a fault. */
function lookOf(fault: string, { faults }: Drawing): Look {
  if (fault === '') return GOOD;
  return BAD[faults.findIndex(({ name }) => name === fault)] ?? OTHER;
}

const wordsOf = (fault: string, { faults }: Drawing): string =>
  fault === '' ? 'holds' : (faults.find(({ name }) => name === fault)?.inWords ?? fault);

/** Returns the counts in words, such as `18 oversold`, the gravest fault first. */
function legendOf(counts: ReadonlyMap<string, number>, drawing: Drawing) {
  const rank = (fault: string) =>
    fault === '' ? Infinity : drawing.faults.findIndex(({ name }) => name === fault);
  return [...counts]
    .toSorted(([one], [other]) => rank(one) - rank(other))
    .map(([fault, count]) => ({
      ...lookOf(fault, drawing),
      words: `${count} ${fault === '' ? (count === 1 ? 'holds' : 'hold') : wordsOf(fault, drawing)}`,
    }));
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (each) => ENTITIES[each] ?? each);
