import { describe, expect, test } from 'vitest';
import { makeOwnLab, YOURS } from '../../../support/own-lab.ts';

const { url, save, saveJudged, play, eventsOf, race, expectLife } = await makeOwnLab();

test("a race over HTTP can use a student's own file", async () => {
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

describe('the server keeps running after a file', () => {
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

  test('whose import never ends', async () => {
    expect(await save('for (;;);')).toMatch(/my\.ts: it never gives the processor back/);
    await expectLife();
  });

  test.each([
    [
      'that sends itself a signal',
      "process.kill(process.pid, 'SIGTERM');",
      /my\.ts: its process was ended by the signal SIGTERM\./,
    ],
    [
      'that uses too much memory',
      // With small objects, the loop would first use three seconds of processor time. Then the loop
      // would be ended as an endless loop.
      'const all = []; for (;;) all.push(new Array(1e6).fill(0));',
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
      // A timer runs only while the session does nothing else, so the session pauses.
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
});
