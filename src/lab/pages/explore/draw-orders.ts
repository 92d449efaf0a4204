import type { Order } from '../../explorations/exploration.ts';
import { type Branch, countFaults } from './orders.ts';

/** A fault in words, such as `oversold`. The gravest fault comes first. */
export interface NamedFault {
  name: string;
  inWords: string;
}

export interface Drawing {
  faults: readonly NamedFault[];
  /** Returns the address that a tile opens. Without this function, the tiles are no links. */
  hrefOf?: (order: Order) => string;
  /** The branches that a person has opened, such as `1,1,2`. Without this list, all are open. */
  open?: ReadonlySet<string>;
}

/** All sizes are in pixels. A map with few orders is narrower. */
const WIDTH = 640;
/** The width of a character, a little too large. */
const CHARACTER = 7.5;
const TILE = 18;
const GAP = 4;
const LINE = 22;
const INDENT = 14;
/** A branch with at most this many orders shows its tiles in one row, and no further branches. */
const MOST_IN_ROW = 24;
/** A larger branch is folded until somebody opens it. */
const MOST_OPEN = 100;

/** A shape beside each colour, for people who see no colours. They read well on light and on dark. */
const GOOD = { mark: '✓', colour: '#2f7d46' };
const BAD = [
  { mark: '✗', colour: '#c0392b' },
  { mark: '▲', colour: '#a15c00' },
  { mark: '■', colour: '#7a3fa0' },
  { mark: '◆', colour: '#2467a8' },
];
const OTHER = { mark: '●', colour: '#6b6b6b' };
/** On a page, this is the colour of its text. A picture of its own has black text. */
const INK = 'currentColor';

/**
 * Draws all orders as SVG: one tile for each order. The tiles lie in the branches in which the orders
 * part. Without links, the map is a picture of its own, on white paper.
 */
export function drawOrders(tree: Branch, drawing: Drawing): string {
  const counts = countFaults(tree.orders);
  const legend = legendOf(counts, drawing);
  const parts = drawParts(tree, 0, LINE + GAP, drawing);
  const words = `${tree.orders.length} orders: ${legend.map(({ words }) => words).join(', ')}`;
  const width = Math.ceil(Math.max(parts.right, widthOf(words)));
  const height = LINE + GAP + parts.height;
  const isPicture = !drawing.hrefOf;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"`,
    ` width="${width}" font-family="system-ui, sans-serif" font-size="13" role="${isPicture ? 'img' : 'group'}"`,
    ` aria-label="${escaped(words)}">`,
    isPicture ? '<rect width="100%" height="100%" fill="#fff"/>' : '',
    `<text y="15" fill="${INK}">`,
    ...legend.map(
      ({ mark, colour, words: each }, index) =>
        `<tspan${index > 0 ? ' dx="16"' : ''} fill="${colour}" font-weight="700">${mark}</tspan>` +
        `<tspan dx="4">${escaped(each)}</tspan>`,
    ),
    `</text>${parts.svg}</svg>`,
  ].join('');
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

const widthOf = (words: string): number => Math.min(WIDTH, (words.length + 4) * CHARACTER);

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
  const { mark, colour } = lookOf(order.fault, drawing);
  const words = escaped(`${order.schedule}: ${wordsOf(order.fault, drawing)}`);
  const tile =
    `<title>${words}</title>` +
    `<rect x="${x}" y="${y}" width="${TILE}" height="${TILE}" rx="3" fill="${colour}"/>` +
    `<text x="${x + TILE / 2}" y="${y + 13.5}" fill="#fff" text-anchor="middle">${mark}</text>`;
  if (!drawing.hrefOf) return `<g>${tile}</g>`;
  return `<a href="${escaped(drawing.hrefOf(order))}" aria-label="${words}">${tile}</a>`;
}

/** Returns the mark and the colour of a fault. */
function lookOf(fault: string, { faults }: Drawing) {
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
