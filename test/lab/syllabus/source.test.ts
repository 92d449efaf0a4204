import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { addressOf, allStrategies } from '../../../src/lab/chapters/index.ts';
import { FAILS, findDecisive } from '../../../src/lab/syllabus/decisive.ts';
import { knownVerdicts } from '../../../src/lab/syllabus/known-verdicts.ts';
import { readTexts, sourcesOf } from '../../../src/lab/syllabus/source.ts';
import { addressed } from '../../support/claims-chapter.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const texts = readTexts();
const textOf = ({ tokens }: { tokens: { text: string }[] }) =>
  tokens.map(({ text }) => text).join('');

describe.each(allStrategies.map((each) => ({ address: addressOf(each), each })))(
  '$address',
  ({ address, each }) => {
    const { name } = each.strategy;

    test('has its decisive statements in the last of its source files', () => {
      const sources = sourcesOf(each, texts);
      const marked = sources.filter(({ lines }) => lines.some(({ isDecisive }) => isDecisive));
      expect(marked).toEqual(sources.slice(-1));
      for (const { path, lines } of sources) {
        const written = read(path).split('\n');
        expect(lines.length).toBeGreaterThan(0);
        for (const line of lines) expect(textOf(line)).toBe(written[line.number - 1]);
      }
      const decisive = marked.flatMap(({ lines }) => lines.filter(({ isDecisive }) => isDecisive));
      expect(textOf(decisive[0] ?? { tokens: [] })).toMatch(/\w/);
    });

    test('has a mark for a gap or a deadlock if, and only if, it does not hold', () => {
      const path = sourcesOf(each, texts).at(-1)?.path ?? '';
      const isGap = FAILS.test(findDecisive(read(path), name)?.what ?? '');
      expect(isGap).toBe(knownVerdicts[address]?.verdict !== 'holds');
    });
  },
);

test('the sources of production are all files on the path to its lock', () => {
  const sources = sourcesOf(addressed('production'), texts);
  expect(sources.map(({ path }) => path)).toEqual([
    'src/lab/chapters/claims/strategies/production.ts',
    'src/service/claims/group-commit.ts',
    'src/service/claims/claim-together.ts',
    'src/service/claims/slots.ts',
  ]);
  const lock = sources.at(-1)?.lines.filter(({ isDecisive }) => isDecisive);
  expect(lock?.map(textOf).join('\n')).toContain('for update');
});

test('a source has no imports, and each word has its kind, such as keyword', () => {
  const [naive] = sourcesOf(addressed('naive'), texts);
  expect(textOf(naive?.lines[0] ?? { tokens: [] })).toBe('/**');
  const kindOf = (text: string) =>
    naive?.lines.flatMap(({ tokens }) => tokens).find((token) => token.text === text)?.kind;
  expect([kindOf('export'), kindOf('naive'), kindOf('ClaimStrategy'), kindOf('/**')]).toEqual([
    'keyword',
    'plain',
    'type',
    'comment',
  ]);
});

test('a strategy with the marks of a lock and of a gap has the kind GAP', () => {
  const marks = '  // THE LOCK: one.\n  a();\n  // THE GAP: another one.\n  b();';
  const text = `export const mine: MyStrategy = {\n  name: 'mine',\n${marks}\n};`;
  expect(findDecisive(text, 'mine')).toEqual({ what: 'GAP', lines: [4, 6] });
  expect(findDecisive('a();', 'mine')).toBeUndefined();
});

test('a decisive statement ends with its closing bracket', () => {
  const text = '  // THE LOCK: here.\n  f(\n    1,\n  );\n  g();';
  expect(findDecisive(text, 'mine')).toEqual({ what: 'LOCK', lines: [2, 3, 4] });
  expect(findDecisive('if (a) {\n  // THE GAP: here.\n  f();\n}', 'mine')?.lines).toEqual([3]);
});
