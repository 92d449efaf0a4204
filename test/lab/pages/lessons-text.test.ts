import { describe, expect, test } from 'vitest';
import { readLessons } from '../../../src/lab/lessons/lesson.ts';
import { waysOf } from '../../../src/lab/pages/lessons/commands.ts';
import { blocksOf, piecesOf } from '../../../src/lab/pages/lessons/markdown.ts';
import { hrefOf } from '../../../src/lab/pages/place.ts';

test('the text of a lesson is split into paragraphs, lists, tables and commands', () => {
  const text =
    'One\ntwo.\n\n- a\n- b\n\n1. c\n2. d\n\n```sh\nnpm run x\n```\n\n| h | i |\n|---|---|\n| j | k |';
  expect(blocksOf(text)).toEqual([
    { kind: 'paragraph', text: 'One two.' },
    { kind: 'list', isNumbered: false, items: ['a', 'b'] },
    { kind: 'list', isNumbered: true, items: ['c', 'd'] },
    { kind: 'commands', lines: ['npm run x'] },
    { kind: 'table', head: ['h', 'i'], rows: [['j', 'k']] },
  ]);
});

test('a paragraph is split into text, code, strong words, emphasis and links', () => {
  expect(piecesOf('a `b*c*` **d `e`** *f* ``g `h` `` [`i`](../j) <k>')).toEqual([
    { kind: 'text', text: 'a ' },
    { kind: 'code', text: 'b*c*' },
    { kind: 'text', text: ' ' },
    {
      kind: 'strong',
      pieces: [
        { kind: 'text', text: 'd ' },
        { kind: 'code', text: 'e' },
      ],
    },
    { kind: 'text', text: ' ' },
    { kind: 'emphasis', pieces: [{ kind: 'text', text: 'f' }] },
    { kind: 'text', text: ' ' },
    { kind: 'code', text: 'g `h`' },
    { kind: 'text', text: ' ' },
    { kind: 'link', to: '../j', pieces: [{ kind: 'code', text: 'i' }] },
    { kind: 'text', text: ' <k>' },
  ]);
});

describe('a command of a lesson has links to the pages that do the same', () => {
  test.each([
    [
      'npm run explore -- --situation two-slots --strategy row-lock,counter-row',
      [
        '?strategy=row-lock&view=explore&situation=two-slots&step=999&lesson=7',
        '?strategy=counter-row&view=explore&situation=two-slots&step=999&lesson=7',
      ],
    ],
    ['npm run replay -- one-statement 1,2,1', ['?strategy=one-statement&schedule=1,2,1&lesson=7']],
    [
      'npm run race-demo -- --costs --strategy a,b --strategy c --recruiters 50',
      [
        '?strategy=a&view=race&beside=b&recruiters=50&lesson=7',
        '?strategy=c&view=race&beside=&recruiters=50&lesson=7',
      ],
    ],
    ['npm run workshop', []],
  ])('%s', (command, addresses) => {
    expect(waysOf(command, 7).map(({ place }) => hrefOf(place))).toEqual(addresses);
  });

  test('every command in the task of a lesson has a link to a page', () => {
    for (const { number, task } of readLessons())
      for (const block of blocksOf(task))
        if (block.kind === 'commands')
          for (const line of block.lines) expect(waysOf(line, number), line).not.toEqual([]);
  });
});
