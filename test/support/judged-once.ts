import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { makeTmpDir } from './command.ts';
import { workshop } from './workshop.ts';

/** Judges a text once, as the student's file of lesson 4. */
export function judgeOnce(text: string) {
  const folder = makeTmpDir();
  mkdirSync(path.join(folder, 'workshop/mine'), { recursive: true });
  writeFileSync(path.join(folder, 'workshop/mine/04-the-lock.ts'), text);
  return workshop(folder, '--lesson', '4');
}

export const withLine = (line: string) => `export default async () => {
  ${line}
  return { kind: 'busy' };
};
`;

/** Asserts that the student gets one line, or the usual answer that the file is not right yet. */
export async function expectClearLine(line: string, words: RegExp) {
  const judging = judgeOnce(withLine(line));
  await judging.ended;
  const [, ...answer] = judging.stdout().trimEnd().split('\n');
  expect(answer.join('\n'), judging.stderr()).toMatch(words);
  if (!/NOT YET/.test(answer.at(-1) ?? '')) expect(answer).toHaveLength(1);
}
