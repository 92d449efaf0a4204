import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { explore } from '../../../../src/explorer/package/index.ts';
import type { SessionOrder } from '../../../../src/explorer/package/types.ts';
import { buildProgram } from '../../../../src/platform/process/build.ts';
import { inProject } from '../../../../src/platform/process/project.ts';
import { bank } from '../../../support/bank.ts';
import { makeTmpDir } from '../../../support/command.ts';

/** A module whose functions count their calls in memory, and send 60 from account 1. */
const MODULE = `import postgres from ${JSON.stringify(inProject('node_modules/postgres/src/index.js'))};
import { createServer } from 'node:http';
let calls = 0;
export async function transfer({ url }, { lock = '' } = {}) {
  calls++;
  const sql = postgres(url, { max: 1, fetch_types: false });
  try {
    await sql.begin(async (tx) => {
      const [row] = await tx.unsafe('select balance from accounts where id = 1 ' + lock);
      if (row.balance < 60) return;
      await tx\`update accounts set balance = \${row.balance - 60} where id = 1\`;
      await tx\`update accounts set balance = balance + 60 where id = 2\`;
    });
  } finally {
    await sql.end();
  }
  return { calls };
}
if (process.argv[2] === 'once') console.log((await transfer({ url: process.env.DATABASE_URL })).calls);
if (process.argv[2] === 'serve')
  createServer(async (request, response) => {
    const lock = request.headers['x-lock'] ?? '';
    response.end(JSON.stringify({ ...(await transfer({ url: process.env.DATABASE_URL }, { lock })), method: request.method }));
  }).listen(Number(process.env.PORT), '127.0.0.1');
`;

/** Writes a server that answers with this status, and sends no statement. */
function silent(status = 404): string {
  const file = path.join(makeTmpDir(), 'silent.cjs');
  writeFileSync(
    file,
    `require('node:http').createServer((_, response) => response.writeHead(${status}).end('broken'))
      .listen(Number(process.env.PORT), '127.0.0.1');`,
  );
  return file;
}

let file: string;
beforeAll(async () => {
  await buildProgram('src/explorer/package/module-host.ts');
  file = path.join(makeTmpDir(), 'bank.mjs');
  writeFileSync(file, MODULE);
});

const both = (session: SessionOrder) => ({ ann: session, bob: session });
const BROKEN = 'expected 160 to be 100';
const NODE = `'${process.execPath}'`;

test('functions of a module run in processes of their own, which stay', async () => {
  const calls: unknown[] = [];
  const sessions = both({ module: file, call: 'transfer' });
  const holds = bank('').holds;
  const found = await explore(
    bank('', {
      name: 'module',
      sessions,
      holds: (db, answers) => {
        calls.push(answers.ann?.value, answers.bob?.value);
        return holds(db, answers);
      },
    }),
  );
  expect(found.violation?.rule).toBe(BROKEN);
  // Each process counts its own calls. The first call is the rehearsal.
  expect(calls).toEqual([2, 2, 3, 3, 4, 4].map((count) => ({ calls: count })));
  const locked = both({ module: file, call: 'transfer', with: { lock: 'for update' } });
  const right = await explore(bank('', { name: 'locked module', sessions: locked }));
  expect([right.isComplete, right.violation]).toEqual([true, undefined]);
});

test('a command starts anew in each schedule, and its answer is what it prints', async () => {
  const answers: unknown[] = [];
  const sessions = both({ command: `${NODE} '${file}' once` });
  const found = await explore(
    bank('', {
      name: 'command',
      sessions,
      most: { schedules: 1 },
      holds: (_, { ann, bob }) => void answers.push(ann?.value, bob?.value),
    }),
  );
  expect([found.schedules, answers]).toEqual([1, ['1', '1']]);
});

test('a server gets the request of its session', async () => {
  const answers: unknown[] = [];
  const request = { method: 'PUT', path: '/', headers: { 'X-Lock': 'for update' } };
  const sessions = both({ server: `${NODE} '${file}' serve`, request });
  const found = await explore(
    bank('', {
      name: 'server',
      sessions,
      most: { schedules: 1 },
      holds: (_, { ann }) => void answers.push(ann?.value),
    }),
  );
  expect(found.schedules).toBe(1);
  expect(answers).toEqual([{ status: 200, body: '{"calls":2,"method":"PUT"}' }]);
});

test('the answer of a command has no words from stderr', async () => {
  const answers: unknown[] = [];
  const sessions = both({ command: `echo warning $$ >&2; ${NODE} '${file}' once` });
  await explore(
    bank('', {
      name: 'stderr',
      sessions,
      most: { schedules: 1 },
      holds: (_, { ann }) => void answers.push(ann?.value),
    }),
  );
  expect(answers).toEqual(['1']);
});

test.each<[string, SessionOrder, RegExp]>([
  [
    'server that answers without a statement',
    { server: `${NODE} '${silent()}'`, request: { path: '/' } },
    /ann has sent no statement to the address that it got/,
  ],
  [
    'server that fails',
    { server: `${NODE} '${silent(500)}'`, request: { path: '/' } },
    /ann answered 500: broken/,
  ],
  [
    'command that fails',
    { command: 'echo no such bank; exit 3' },
    /ann ended with exit code 3: no such bank/,
  ],
  ['module without the function', { module: '/dev/null' }, /exports no function default/],
  [
    'server that does not start',
    { server: 'exit 4', request: { path: '/' } },
    /ended with exit code 4/,
  ],
])('a %s is refused in one line', async (name, session, why) => {
  const order = bank('', { name, sessions: both(session) });
  await expect(explore(order)).rejects.toThrow(why);
});
