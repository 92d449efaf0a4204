import { writeFileSync } from 'node:fs';
import { describe, expect, inject, test } from 'vitest';
import { browserTest, expectAccessibleLooks } from '../../../support/browser.ts';
import { runServer } from '../../../support/command.ts';
import { python } from '../../../support/languages.ts';
import { linesOfKind, partsOf } from '../../../support/npm-scripts.ts';
import {
  allEnd,
  asking,
  command,
  expectLife,
  expectNoCopy,
  fileWith,
  fixture,
  headline,
  INVARIANT,
  NAIVE,
  OVERSOLD,
  PATIENCE,
  press,
  SCHEMA,
  SILENT,
  showHere,
  YOURS,
} from '../../../support/own-programs.ts';
import { pageOf } from '../../../support/pages.ts';

describe('the server keeps running after a program', () => {
  test('that never answers in the middle of a game', async () => {
    const lab = await showHere({ module: fixture('silent-when-full.mjs') });
    expect((await lab.play(['1', '1', '1', '2'])).verdict).toBe('hang: S2 never ended');
    expect((await lab.play(OVERSOLD)).verdict).toBe('oversold: 5 claims, 4 slots');
    await expectLife(lab);
  });

  test('that waits forever for the other session', async () => {
    const lab = await showHere({ module: fixture('hangs.mjs') });
    expect((await lab.play(['1', '2'])).verdict).toMatch(/^hang: /);
    expect((await lab.play(['1'])).status).toBe(200);
    await expectLife(lab);
  });

  test.each([
    [
      'that never answers',
      SILENT,
      /^Alone on its database: The program gave no answer within 8 s$/,
    ],
    ['that ends immediately', 'process.exit(3)', /^The program ".+" ended with exit code 3$/],
    [
      'that fails',
      SILENT.replace('() => {}', "(_, answer) => answer.writeHead(500).end('no table')"),
      /^Alone on its database: The program answered 500 no table$/,
    ],
  ])('%s', async (_, code, line) => {
    const { server, pids } = command(code);
    const lab = await showHere({ server });
    expect(await lab.play(['1'])).toMatchObject({
      status: 400,
      detail: expect.stringMatching(line),
    });
    expect(await allEnd(pids())).toBe(true);
    await expectLife(lab);
  });
});

test('the server stops a schema whose SQL never ends, and loads the next save', async () => {
  const schema = fileWith('schema.sql', 'select pg_sleep(1000)');
  const lab = await showHere({ module: NAIVE, schema, invariant: INVARIANT });
  const missing = expect.stringMatching(/^\S+schema\.sql has not ended after 20 s\.$/);
  await expect.poll(lab.entry, PATIENCE).toMatchObject({ missing });
  expect((await lab.play(['1'], 'schema/yours')).detail).toEqual(missing);
  await expectLife(lab);
  writeFileSync(schema, SCHEMA);
  await expect.poll(lab.entry, PATIENCE).toMatchObject({ missing: null });
  expect((await lab.play(['1'], 'schema/yours')).status).toBe(200);
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  'no copy of the program remains after the server gets %s',
  expectNoCopy,
);

test('the command in docs/any-language.md shows the Python example in the lab', {
  tags: ['python'],
}, async () => {
  const line = linesOfKind('npm', [pageOf('docs/any-language.md')]).find((each) =>
    each.startsWith('npm start'),
  );
  const { args } = partsOf(line ?? '');
  expect(args).toEqual(['--server', `python3 ${python.file}`]);
  const server = runServer({ DATABASE_URL: inject('scratchUrl'), LAB: 'on' }, [
    ...['--server', python.commandOf(python.file)],
  ]);
  const [, address = ''] = await server.says(/^Your program: .+, at (\S+)$/m);
  expect(new URL(address).search).toBe(`?strategy=${YOURS}`);
  const { play } = asking(new URL(address).origin);
  expect(await play(['1', '2'])).toMatchObject({
    sessions: [{ status: 'ready' }, { status: 'waiting', waitsFor: [1] }],
    locks: { held: [{ session: 1, what: 'job 1', mode: 'FOR UPDATE' }] },
  });
  server.child.kill('SIGINT');
  await server.ended;
});

browserTest("a person can break the invariant of the person's own tables", async ({ open }) => {
  const schema = fileWith('schema.sql', SCHEMA);
  const { url } = await showHere({ module: NAIVE, schema, invariant: INVARIANT });
  const page = await open(`${url}/lab?strategy=schema/yours`);
  await headline(page, 'Can you break the invariant?');
  await press(page, '121');
  await page.getByRole('listitem').filter({ hasText: 'S1 jobs 1 FOR KEY SHARE' }).waitFor();
  for (const key of '212') await page.keyboard.press(key);
  await headline(page, 'Broke the invariant!');
  await page.getByText('Rows: jobs: 1, job_claims: 2').waitFor();
  await expectAccessibleLooks(page);
});

browserTest('the page says why a program does not start', async ({ open }) => {
  const { server } = command('process.exit(3)');
  const { url } = await showHere({ server });
  const page = await open(`${url}/lab?strategy=${YOURS}`);
  await page.getByRole('alert').getByText('ended with exit code 3').waitFor();
  await expectAccessibleLooks(page);
});
