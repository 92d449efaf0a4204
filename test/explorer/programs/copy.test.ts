import { expect, onTestFinished, test } from 'vitest';
import { Copy } from '../../../src/explorer/programs/copy.ts';
import { shellWord } from '../../../src/explorer/programs/shell-word.ts';
import { HAS_PROC } from '../../../src/platform/process/process-table.ts';
import { until } from '../../../src/platform/waiting/until.ts';
import { isRunning } from '../../support/command.ts';

const never = new AbortController().signal;

/** Returns a command that runs this code in Node.js. */
const node = (code: string) => `${shellWord(process.execPath)} -e ${shellWord(code)}`;

/**
 * Returns a command for a server that answers with this code, which uses `request` and `response`.
 */
const server = (code: string) =>
  node(`require('http').createServer((request, response) => { ${code} })
    .listen(process.env.PORT, '127.0.0.1')`);

async function start(command: string, startMs = 20_000): Promise<Copy> {
  const copy = await Copy.start(
    { name: command, command, databaseUrl: 'postgres://db', startMs },
    never,
  );
  onTestFinished(() => copy.end());
  return copy;
}

const ends = (pid: number) => until(() => !isRunning(pid), { everyMs: 10, withinMs: 5_000 });

test('a program gets the variables PORT and DATABASE_URL, and answers on this port', async () => {
  const copy = await start(server('response.end(process.env.DATABASE_URL + request.url)'));
  expect(await copy.ask({ path: '/claim-job?jobId=1' })).toEqual({
    ...{ status: 200, reason: 'OK' },
    body: 'postgres://db/claim-job?jobId=1',
  });
  expect(copy.isIdle).toBe(true);
});

test('the end of a copy ends the processes that the program has started', async () => {
  const copy = await start(`${server('response.end(String(process.pid))')} & sleep 1000 & wait`);
  const { body } = await copy.ask({ path: '/' });
  expect(isRunning(Number(body))).toBe(true);
  await copy.end();
  expect(await ends(Number(body))).toBe(true);
});

test.each([
  ['no-such-program', 'ended with exit code 127: /bin/sh: 1: no-such-program: not found'],
  ['echo starting; exit 3', 'ended with exit code 3: starting'],
  [node('throw new TypeError("no database")'), 'ended with exit code 1: TypeError: no database'],
  ['printf "panic: no rows\\n\\ngoroutine 1\\nexit status 2\\n" >&2; exit 1', ': panic: no rows'],
  ['kill -9 $$', 'ended with the signal SIGKILL'],
])('a program that dies before it listens is reported in one line: %s', async (command, line) => {
  await expect(start(command)).rejects.toThrow(line);
});

test('a program that never listens is reported in one line, and is ended', async () => {
  const starting = start('echo $$ says hello; sleep 1000', 1_000);
  const error: Error = await starting.then(
    () => expect.fail('the program listens'),
    (reason) => reason,
  );
  expect(error.message).toMatch(/ does not listen on port \d+, the port in PORT, within 1 s: /);
  expect(await ends(Number(/(\d+) says hello$/.exec(error.message)?.[1]))).toBe(true);
});

const listensOn = (port: string) =>
  `require('http').createServer((_, response) => response.end('here')).listen(${port}, '127.0.0.1')`;

// Only Linux shows the ports of a process.
test.skipIf(!HAS_PROC)(
  'a program that ignores PORT is refused early, with its own port',
  async () => {
    const ignores = `${listensOn('0')}.on('listening', function () { console.log('open', this.address().port) })`;
    const command = `cd / && ${node(ignores)} & wait`;
    const order = { name: 'shop', command, databaseUrl: 'postgres://db', elsewhereMs: 100 };
    const said = await Copy.start(order, never).catch(({ message }) => message);
    expect(said).toMatch(
      /^The program "shop" listens on port (\d+), but not on port \d+, the port in PORT: open \1$/,
    );
  },
);

test('a program may listen on another port first', async () => {
  const first = `${listensOn('0')}.on('listening', () => setTimeout(() => {
    ${listensOn('process.env.PORT')}
  }, 600))`;
  const copy = await start(node(first));
  expect((await copy.ask({ path: '/' })).body).toBe('here');
});

test('an answer that is not HTTP is reported in one line', async () => {
  const talker = node(`require('net').createServer((socket) => {
    // The look whether the program listens closes its connection without reading.
    socket.on('error', () => undefined).resume().end('hello\\n\\n');
  }).listen(process.env.PORT, '127.0.0.1')`);
  const copy = await start(talker);
  await expect(copy.ask({ path: '/' })).rejects.toThrow(
    'gave no answer in HTTP (HPE_INVALID_CONSTANT)',
  );
});

test('an answer that never ends is refused after 64000 bytes', async () => {
  const copy = await start(server(`setInterval(() => response.write('x'.repeat(10_000)), 1)`));
  await expect(copy.ask({ path: '/' })).rejects.toThrow('its answer has more than 64000 bytes');
});

test('a program that dies during a request is reported in one line', async () => {
  const copy = await start(server('throw new RangeError("no rows")'));
  await expect(copy.ask({ path: '/' })).rejects.toThrow(
    /ended with exit code 1: RangeError: no rows$/,
  );
  expect(copy.isIdle).toBe(false);
});

test('a copy of a program that never answers is busy until we end the copy', async () => {
  const copy = await start(server(''));
  const asked = copy.ask({ path: '/' }).catch((error: Error) => error.message);
  expect(copy.isIdle).toBe(false);
  await copy.end();
  expect(await asked).toMatch(/^The program /);
});

test('a program that prints a megabyte for each request still answers', async () => {
  const floods = server(`console.log('x'.repeat(1_000_000)); response.end('done')`);
  const copy = await start(floods);
  for (let index = 0; index < 20; index++)
    expect((await copy.ask({ path: '/' })).body).toBe('done');
});
