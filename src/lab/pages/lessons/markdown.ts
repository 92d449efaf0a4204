/** A piece of a paragraph. */
export type Piece =
  | { kind: 'text' | 'code'; text: string }
  | { kind: 'strong' | 'emphasis'; pieces: Piece[] }
  | { kind: 'link'; to: string; pieces: Piece[] };

export type Block =
  | { kind: 'paragraph'; text: string }
  | { kind: 'list'; isNumbered: boolean; items: string[] }
  | { kind: 'commands'; lines: string[] }
  | { kind: 'table'; head: string[]; rows: string[][] };

/**
 * Splits a text into blocks at the empty lines. Understands only the Markdown that the lessons use.
 */
export const blocksOf = (text: string): Block[] =>
  text
    .trim()
    .split(/\n\s*\n/)
    .map((each) => blockOf(each.split('\n')));

const ITEM = /^(-|\d+\.) /;

function blockOf(lines: string[]): Block {
  const [first = ''] = lines;
  if (first.startsWith('```')) return { kind: 'commands', lines: lines.slice(1, -1) };
  if (first.startsWith('|')) {
    const [head = [], , ...rows] = lines.map(cellsOf);
    return { kind: 'table', head, rows };
  }
  if (!ITEM.test(first)) return { kind: 'paragraph', text: lines.join(' ') };
  return {
    kind: 'list',
    isNumbered: !first.startsWith('-'),
    items: lines.map((line) => line.replace(ITEM, '')),
  };
}

const cellsOf = (row: string): string[] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Code that contains a backtick stands between double backticks. */
const PIECE = /``\s*(.+?)\s*``|`([^`]+)`|\*\*(.+?)\*\*|\*([^*]+)\*|\[(.+?)\]\(([^)]+)\)/g;

/** Splits the text of a paragraph, a list item or a cell into pieces. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(PIECE)) {
    const [whole, long, code = long, strong, emphasis, link, to = ''] = match;
    pieces.push({ kind: 'text', text: text.slice(end, match.index) });
    end = match.index + whole.length;
    if (code !== undefined) pieces.push({ kind: 'code', text: code });
    else if (strong !== undefined) pieces.push({ kind: 'strong', pieces: piecesOf(strong) });
    else if (emphasis !== undefined) pieces.push({ kind: 'emphasis', pieces: piecesOf(emphasis) });
    else pieces.push({ kind: 'link', to, pieces: piecesOf(link ?? '') });
  }
  pieces.push({ kind: 'text', text: text.slice(end) });
  return pieces.filter((piece) => piece.kind !== 'text' || piece.text !== '');
}
