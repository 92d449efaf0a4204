import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  flag,
  helpOf,
  readArguments,
  under,
  whole,
} from '../../../src/platform/process/command.ts';

const command = {
  name: 'paint',
  purpose: 'Paints a fence.',
  usage: ['FENCE [options]', '--all [options]'],
  about: 'The fence must be dry.',
  operands: { FENCE: 'the fence to paint' },
  options: {
    coats: { ...whole(1, 9), default: 2, words: 'coats of paint' },
    colour: {
      value: 'NAME',
      type: z.array(z.string()),
      words: 'a colour, such as white or green; several colours are painted one beside the other',
      usual: 'that of the house',
      isRepeatable: true,
    },
    'leave-out-gates': flag('paint no gates'),
    ...under('Only for --all', { limit: { ...whole(1, 99), words: 'the most fences' } }),
  },
  notes: 'Exit code: 0 if the fence is painted.',
};

test('the help shows each option with its values and its default', () => {
  expect(helpOf(command)).toBe(`Paints a fence.

Usage: npm run paint -- FENCE [options]
       npm run paint -- --all [options]

The fence must be dry.

  FENCE              the fence to paint
  --coats N          coats of paint (1 to 9; default: 2)
  --colour NAME      a colour, such as white or green; several colours are painted one
                     beside the other (default: that of the house)
  --leave-out-gates  paint no gates
  --help             show this

Only for --all:
  --limit N          the most fences (1 to 99)

Exit code: 0 if the fence is painted.
`);
});

test('an option that is not given has its default, or is undefined', () => {
  const options = { coats: 2, colour: undefined, 'leave-out-gates': false, limit: undefined };
  expect(readArguments(command, [])).toEqual({ asksForHelp: false, options, operands: [] });
});

test('given options are checked and converted, also beside --help', () => {
  const args = ['front', '--coats', '3', '--colour', 'white', '--colour', 'green', '--help'];
  expect(readArguments(command, args)).toMatchObject({
    asksForHelp: true,
    options: { coats: 3, colour: ['white', 'green'] },
    operands: ['front'],
  });
});

test('all wrong values are named in one line', () => {
  expect(() => readArguments(command, ['--coats', '0', '--limit', 'x', '--help'])).toThrow(
    new Error(
      '--coats must be a whole number from 1 to 9; --limit must be a whole number from 1 to 99. See: npm run paint -- --help',
    ),
  );
});
