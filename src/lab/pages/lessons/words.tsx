import type { Child } from 'hono/jsx';
import { PlaceLink } from '../link.tsx';
import type { PartProps } from '../part.ts';
import { HOME } from '../place.ts';
import { waysOf } from './commands.ts';
import { type Block, blocksOf, type Piece, piecesOf } from './markdown.ts';

interface TextProps extends Pick<PartProps, 'place' | 'go' | 'chapters'> {
  text: string;
}

/** Shows a text of a lesson. Each command has links to the pages that do the same. */
export const Text = ({ text, ...props }: TextProps) => (
  <>
    {blocksOf(text).map((block, index) => (
      <OneBlock key={index} block={block} {...props} />
    ))}
  </>
);

type InText = Omit<TextProps, 'text'>;

function OneBlock({ block, ...props }: InText & { block: Block }) {
  const say = (text: string) => <Pieces pieces={piecesOf(text)} {...props} />;
  switch (block.kind) {
    case 'paragraph':
      return <p>{say(block.text)}</p>;
    case 'commands':
      return (
        <>
          {block.lines.map((line) => (
            <Command key={line} line={line} {...props} />
          ))}
        </>
      );
    case 'table':
      return <Table {...block} say={say} />;
    case 'list': {
      const items = block.items.map((item, index) => <li key={index}>{say(item)}</li>);
      return block.isNumbered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
  }
}

const Table = ({
  head,
  rows,
  say,
}: {
  head: string[];
  rows: string[][];
  say: (text: string) => Child;
}) => (
  // The keyboard must reach everything that scrolls.
  <section class="scroll" tabindex={0} aria-label="Table">
    <table class="findings">
      <thead>
        <tr>
          {head.map((cell) => (
            <th key={cell} scope="col">
              {say(cell)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([first = '', ...cells]) => (
          <tr key={first}>
            <th scope="row">{say(first)}</th>
            {cells.map((cell, index) => (
              <td key={index}>{say(cell)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

const Command = ({ line, place, go }: InText & { line: string }) => (
  <div class="command">
    <code>{line}</code>
    <p class="row">
      {waysOf(line, place.lesson).map(({ label, place: to }) => (
        <PlaceLink key={label} place={place} go={go} to={to}>
          {label}
        </PlaceLink>
      ))}
    </p>
  </div>
);

/** Shows one paragraph without links, such as an answer to choose. */
export const Words = ({ text }: { text: string }) => <Pieces pieces={piecesOf(text)} />;

function Pieces({ pieces, ...props }: Partial<InText> & { pieces: Piece[] }) {
  return (
    <>
      {pieces.map((piece, index) => (
        <OnePiece key={index} piece={piece} {...props} />
      ))}
    </>
  );
}

function OnePiece({ piece, ...props }: Partial<InText> & { piece: Piece }) {
  switch (piece.kind) {
    case 'text':
      return <>{piece.text}</>;
    case 'code':
      return <code>{piece.text}</code>;
    case 'strong':
      return (
        <b>
          <Pieces pieces={piece.pieces} {...props} />
        </b>
      );
    case 'emphasis':
      return (
        <em>
          <Pieces pieces={piece.pieces} {...props} />
        </em>
      );
    case 'link':
      return <SourceLink to={piece.to} pieces={piece.pieces} {...props} />;
  }
}

/**
 * Shows a link in a text of a lesson. These links lead to files of the project. The syllabus shows
 * production's code of each chapter. No page shows other files, so the names of other files stand
 * without a link.
 */
function SourceLink({ to, pieces, ...props }: Partial<InText> & { to: string; pieces: Piece[] }) {
  const { place, go, chapters = [] } = props;
  const chapter = chapters.find(({ name }) => to.includes(`/src/service/${name}/`));
  if (!chapter || !place || !go) return <Pieces pieces={pieces} />;
  const there = { ...HOME, view: 'syllabus', strategy: `${chapter.name}/production` } as const;
  return (
    <PlaceLink place={place} go={go} to={{ ...there, lesson: place.lesson }}>
      <Pieces pieces={pieces} />
    </PlaceLink>
  );
}
