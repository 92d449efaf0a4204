import { readFileSync } from 'node:fs';
import { describe, expect, inject, test } from 'vitest';
import { inProject } from '../../../../src/process/project.ts';
import { run } from '../../../support/command.ts';
import { blocksIn, linesOf, pages } from '../../../support/pages.ts';

describe('every command of the lessons runs', () => {
  const lessonPages = pages.filter(({ name }) => /^workshop\/\d\d-/.test(name));
  const commands = [
    ...new Set(
      blocksIn('sh', lessonPages)
        .flatMap(linesOf)
        .map(({ text }) => text),
    ),
  ];
  const { scripts } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));

  test.each(commands)('%s', { timeout: 300_000 }, async (line) => {
    const [, name = '', args = ''] = /^npm run ([\w-]+) -- (.+)$/.exec(line) ?? [];
    const program = /scripts\/[\w-]+\.ts$/.exec(scripts[name])?.[0] ?? '';
    const command = run(program, args.split(' '), { DATABASE_URL: inject('scratchUrl') });
    expect(await command.ended, command.stderr()).toEqual({ code: 0, signal: null });
    expect(command.stdout()).not.toBe('');
  });
});
