import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { problemCodes } from '../src/http/problem.ts';
import { labProblemCodes } from '../src/lab/problems.ts';
import { makeService } from './support/app.ts';
import { start } from './support/command.ts';
import { makeDatabase } from './support/database.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

let url: string;
beforeAll(async () => {
  ({ url } = await makeService(await makeDatabase()));
});

const here = (text: string) => text.replaceAll('http://localhost:3000', url);

describe('the curl lines of the README', () => {
  // Those with a token are for a server with authentication, of which this one has none.
  const all = readme.match(/^curl (?!.*\$TOKEN).+$/gm) ?? [];
  const lines = all.filter((line) => !line.startsWith('curl -N'));
  const streams = all.filter((line) => line.startsWith('curl -N'));
  const [claimed] = readme.match(/(?<=```json\n)[^`]+/) ?? [];
  let first: string;

  /** What curl says, with the headers of the answer before the body; it fails on a refusal. */
  async function curl(line: string): Promise<string> {
    const command = start('sh', ['-c', `${here(line)} --silent --show-error --include --fail`], {});
    expect(await command.ended, command.stderr()).toEqual({ code: 0, signal: null });
    return command.stdout();
  }

  test.each(lines)('%s', async (line) => {
    const said = await curl(line);
    expect(said).toMatch(/^HTTP\/1.1 20[01] /);
    first ??= said.split('\r\n\r\n')[1] ?? '';
  });

  test.each(streams)('%s', async (line) => {
    const command = start('sh', ['-c', `exec ${here(line)}`], {});
    await command.says(/^event: begin[\s\S]+^event: job[\s\S]+^event: end/m);
    command.child.kill();
  });

  test('are as many as there are things to show', () => {
    expect(lines).toHaveLength(12);
    expect(streams).toHaveLength(2);
  });

  test('the first is answered as the README shows', () => {
    const now = JSON.parse(first);
    now.claim.claimedAt = '2026-11-21T09:00:00.000Z';
    expect(now).toEqual(JSON.parse(claimed ?? ''));
  });

  test('the last is answered again, and says so', async () => {
    expect(await curl(lines.at(-1) ?? '')).toMatch(/^idempotent-replayed: true\r$/im);
  });
});

test('the lines in TypeScript claim what the curl lines have released', async () => {
  const [lines = ''] = readme.match(/(?<=```ts\n)import[^`]+/) ?? [];
  const options = ['--import', 'tsx', '--input-type=module', '--eval', here(lines)];
  const command = start(process.execPath, options, {});
  expect(await command.ended, command.stderr()).toEqual({ code: 0, signal: null });
  expect(command.stdout()).toMatch(/^\d{4}-\d\d-\d\dT\S+Z\n$/);
});

test('the README lists every problem code once, and no other', () => {
  const [table = ''] = readme.match(/<!-- problem codes[\s\S]+<!-- end of problem codes/) ?? [];
  const listed = [...table.matchAll(/^\| \d{3} \| `([\w-]+)` \|/gm)].map((match) => match[1]);
  expect(listed.toSorted()).toEqual([...problemCodes, ...labProblemCodes].toSorted());
});
