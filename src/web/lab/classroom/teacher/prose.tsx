import { blocksOf } from '../../lessons/markdown.ts';
import { Words } from '../../lessons/words.tsx';

/** A text of a lesson, without the links that only the lab has. */
export const Prose = ({ text }: { text: string }) => (
  <>
    {blocksOf(text).map((block, index) => {
      if (block.kind === 'paragraph')
        return (
          <p key={index}>
            <Words text={block.text} />
          </p>
        );
      if (block.kind === 'list')
        return (
          <ul key={index}>
            {block.items.map((item, at) => (
              <li key={at}>
                <Words text={item} />
              </li>
            ))}
          </ul>
        );
      const lines =
        block.kind === 'commands' ? block.lines : block.rows.map((row) => row.join(' '));
      return (
        // The keyboard must reach everything that scrolls.
        <pre key={index} tabindex={0}>
          <code>{lines.join('\n')}</code>
        </pre>
      );
    })}
  </>
);
