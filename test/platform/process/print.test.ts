import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printable } from '../../../src/platform/process/print.ts';
import { inProject } from '../../../src/platform/process/project.ts';
import { run } from '../../support/command.ts';

const between = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index));

describe('printed text', () => {
  test.each([
    ['C0', between(0x00, 0x1f).filter((each) => !'\n\t'.includes(each))],
    ['DEL and C1', between(0x7f, 0x9f)],
    [
      'direction',
      [...between(0x202a, 0x202e), ...between(0x2066, 0x2069), ...'\u200e\u200f\u061c'],
    ],
    ['lines and paragraphs', ['\u2028', '\u2029']],
    ['zero width', [...'\u00ad\u200b\u200c\u200d\u2060\ufeff', '\u{e0041}']],
  ])('shows the codes in place of characters of %s', (_, characters) => {
    for (const each of characters) {
      const text = printable(`a${each}b`);
      expect(text).toMatch(/^a(\\u[0-9a-f]{4})+b$/);
      expect(JSON.parse(`"${text}"`)).toBe(`a${each}b`);
    }
  });

  test.each([
    ['a line', 'a\n\tb'],
    ['letters and signs', 'Ærøskøbing, Ελλάδα, 東京, ﷺ, €, 😀, e\u0301'],
    ['colours', '\u001b[31mred\u001b[39m \u001b[1mbold\u001b[22m'],
  ])('keeps %s', (_, text) => {
    expect(printable(text)).toBe(text);
  });

  test.each(['\u001b[2J', '\u001b[8mhidden', '\u001b[31;8m', '\u001b]0;title\u0007', '\u001b[1A'])(
    'does not take %j for a colour',
    (text) => {
      expect(printable(text)).not.toContain('\u001b');
    },
  );

  test('keeps its meaning if it is JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.parse(printable(text))).toEqual(JSON.parse(text));
      }),
    );
  });
});

test('a command escapes the control characters of an unknown name in its error', async () => {
  const { ended, stderr } = run('scripts/replay.ts', ['na\u009b2J\u202eive', '1,2']);
  expect((await ended).code).toBe(2);
  expect(stderr()).toMatch(/na\\u009b2J\\u202eive/);
});

test('only print writes to the terminal', () => {
  const sources = ['src', 'proof', 'scripts'].flatMap((folder) =>
    readdirSync(inProject(folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => path.posix.join(folder, name.split(path.sep).join('/'))),
  );
  const writers = sources.filter((name) =>
    /\bstd(out|err)\.write\(/.test(readFileSync(inProject(name), 'utf8')),
  );
  // progress.ts prints its text with `print`. It writes to stderr only to wipe the line. workshop.ts
  // clears the screen, and makes its text harmless itself.
  expect(writers.toSorted()).toEqual(['scripts/workshop.ts', 'src/platform/process/progress.ts']);
});
