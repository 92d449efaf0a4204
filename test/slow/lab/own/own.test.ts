import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { SyllabusEntry } from '../../../../src/lab/syllabus/syllabus.ts';
import { inProject } from '../../../../src/process/project.ts';
import { makeService } from '../../../support/app.ts';
import { browserTest } from '../../../support/browser.ts';
import { makeTmpDir } from '../../../support/command.ts';
import { makeDatabase } from '../../../support/database.ts';

const YOURS = 'claims/yours';
let url: string;
let file: string;
beforeAll(async () => {
  file = path.join(makeTmpDir(), 'my.ts');
  copyFileSync(judged('wrong-naive.ts'), file);
  ({ url } = await makeService(await makeDatabase(), { own: { file, chapter: 'claims' } }));
});

const judged = (name: string) => inProject(path.join('test/lab/judge/judged', name));
const PATIENCE = { timeout: 30_000, interval: 50 };

async function entry(): Promise<SyllabusEntry> {
  const list = (await (await fetch(`${url}/lab/strategies`)).json()) as SyllabusEntry[];
  return list.at(-1) as SyllabusEntry;
}

/** Saves the file, waits until it was loaded or refused, and returns what is wrong with it. */
async function save(text: string): Promise<string | null> {
  const leaving = new AbortController();
  const { body } = await fetch(`${url}/lab/own`, { signal: leaving.signal });
  writeFileSync(file, text);
  let said = '';
  for await (const piece of body as unknown as AsyncIterable<Uint8Array>) {
    said += Buffer.from(piece).toString();
    if (said.includes('event: saved')) break;
  }
  leaving.abort();
  return (await entry()).missing;
}

const saveJudged = (name: string) => save(readFileSync(judged(name), 'utf8'));

async function play(schedule: string[], strategy = YOURS) {
  const body = JSON.stringify({ strategy, schedule });
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(`${url}/lab/plays`, { method: 'POST', headers, body });
  return {
    status: answer.status,
    ...((await answer.json()) as { verdict?: string; detail?: string }),
  };
}

async function eventsOf(address: string, init?: RequestInit): Promise<string> {
  return (await fetch(`${url}/lab/${address}`, init)).text();
}

const race = (strategies: string[]) =>
  eventsOf('rounds', { method: 'POST', body: JSON.stringify({ strategies, rounds: 20 }) });

test('the strategy is in Play, Explore, Race and Syllabus, and each save shows it anew', async () => {
  await expect.poll(entry, PATIENCE).toMatchObject({ name: 'yours', missing: null });
  const oversold = ['1', '2', '1', '2', '1', '2'];
  expect((await play(oversold)).verdict).toBe('oversold: 5 claims, 4 slots');
  expect(await eventsOf(`explorations?strategy=${YOURS}`)).toMatch(/"faults":\{"oversold":18\}/);
  expect(await race([YOURS, 'claims/row-lock'])).toMatch(
    /event: done\ndata: .*yours oversold in [1-9]/,
  );
  expect(await eventsOf('strategies/yours')).toContain('"idea":"The strategy in my.ts"');

  expect(await saveJudged('right-row-lock.ts')).toBe(null);
  expect(await eventsOf(`explorations?strategy=${YOURS}`)).toMatch(/"faults":\{\}/);
  expect((await play(oversold)).detail).toMatch(/^Step \d of the schedule is/);
  expect(await eventsOf(`strategies/${YOURS}`)).toContain('update');
});

test('a race over HTTP runs there too', async () => {
  await saveJudged('wrong-naive.ts');
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ strategy: YOURS });
  const begun = await fetch(`${url}/lab/races`, { method: 'POST', headers, body });
  const { requests } = (await begun.json()) as { requests: string[] };
  const address = `${url}${begun.headers.get('Location')}`;
  const answers: Response[] = await Promise.all(
    requests.map((request) => fetch(`${address}/${request}`)),
  );
  expect(answers.map(({ status }) => status)).toContain(200);
  expect(await (await fetch(address)).json()).toHaveProperty('capacity', 4);
  expect((await fetch(address, { method: 'DELETE' })).status).toBe(204);
});

test('a broken save shows one line, and the next good save mends it', async () => {
  expect(await save('export default () => {\n  const x = ;\n};')).toMatch(
    /my\.ts:2: Unexpected ";"$/,
  );
  expect(await play(['1'])).toMatchObject({
    status: 400,
    detail: expect.stringMatching(/:2: Unex/),
  });
  expect(await saveJudged('right-row-lock.ts')).toBe(null);
  expect((await play(['1'])).status).toBe(200);
});

/** Other strategies answer, and the next good save mends everything. */
async function expectLife() {
  expect((await play(['1'], 'claims/row-lock')).status).toBe(200);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect(await saveJudged('right-row-lock.ts')).toBe(null);
  expect((await play(['1'])).status).toBe(200);
}

describe('the server outlives a file', () => {
  test('with an endless loop', async () => {
    expect(await saveJudged('hangs-in-a-loop.ts')).toBe(null);
    const asked = play(['1']);
    expect((await play(['1'], 'claims/row-lock')).status).toBe(200);
    const line = /my\.ts: it never gives the processor back/;
    expect(await asked).toMatchObject({ status: 400, detail: expect.stringMatching(line) });
    const told = await eventsOf(`explorations?strategy=${YOURS}`);
    expect(told).toMatch(/event: failed\ndata: .*it never gives the processor back/);
    await expectLife();
  });

  test('with an endless loop at its import', async () => {
    expect(await save('for (;;);')).toMatch(/my\.ts: it never gives the processor back/);
    await expectLife();
  });

  test.each([
    ['that calls process.exit', 'process.exit(0);', /my\.ts: it ended the process/],
    [
      'that sends itself a signal',
      "process.kill(process.pid, 'SIGTERM');",
      /my\.ts: its process was ended by the signal SIGTERM\./,
    ],
    [
      'that uses too much memory',
      'const all = []; for (;;) all.push({});',
      /my\.ts: it uses too much memory\./,
    ],
    [
      'that writes to the channel of its process',
      "process.send?.(null); process.getBuiltinModule('fs').writeSync(3, 'null\\n{\\n'); process.exit();",
      /my\.ts: it ended the process/,
    ],
    [
      'with a promise that fails',
      "void Promise.reject(new Error('oh'));",
      /my\.ts:1: Error: oh .Nobody/,
    ],
    [
      'that throws later',
      // A timer is due when the session does nothing else, so the session pauses.
      "setTimeout(() => { throw new Error('oh'); }, 1); await new Promise((go) => setTimeout(go, 5));",
      /my\.ts:1: Error: oh/,
    ],
  ])('%s', async (_, code, line) => {
    const rest = "await db.execute('select 1'); return { kind: 'full' };";
    expect(await save(`export default async (db) => { ${code} ${rest} };`)).toBe(null);
    expect(await play(['1', '1'])).toMatchObject({ detail: expect.stringMatching(line) });
    await expectLife();
  });

  test('whose promise never settles', async () => {
    expect(await saveJudged('hangs-on-a-promise.ts')).toBe(null);
    expect((await play(['1', '2'])).verdict).toMatch(/^hang: /);
    expect(await race([YOURS])).toMatch(/event: failed\ndata: .*got no answer within 15 seconds/);
    await expectLife();
  });

  test('that is removed', async () => {
    rmSync(file);
    await expect.poll(entry, PATIENCE).toMatchObject({ missing: expect.stringMatching(/no file/) });
    await expectLife();
  });
});

browserTest('the page follows the saves', async ({ open }) => {
  await saveJudged('wrong-naive.ts');
  const page = await open(`${url}/lab?strategy=${YOURS}&view=syllabus`);
  await page.getByText('The strategy in my.ts').waitFor();
  await page.getByText('Not played yet.').first().waitFor();
  await save('export default () => {\n  const x = ;\n};');
  await page
    .getByText(/my\.ts:2: Unexpected ";"/)
    .first()
    .waitFor();
  await saveJudged('right-row-lock.ts');
  await page.getByRole('link', { name: 'Play it' }).waitFor();
  expect(await page.getByText('Unexpected').count()).toBe(0);
});

browserTest(
  'the page says that the server is lost, and hears the saves again',
  async ({ open }) => {
    const page = await open(`${url}/lab?view=syllabus`);
    await page.getByRole('link', { name: 'yours' }).waitFor();
    await page.route('**/lab/own', (route) => route.abort());
    await page.reload();
    const lost = page.getByRole('status').filter({ hasText: 'hears no saves' });
    await lost.waitFor();
    await page.unroute('**/lab/own');
    await lost.waitFor({ state: 'detached' });
  },
);
