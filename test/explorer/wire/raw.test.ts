import { beforeAll, expect, test } from 'vitest';
import { type Played, replay } from '../../../src/explorer/explore.ts';
import type { Trial } from '../../../src/explorer/trial.ts';
import { int16, int32, message, SYNC, text } from '../../../src/explorer/wire/messages.ts';
import type { WireStage } from '../../../src/explorer/wire/stage.ts';
import { RawClient } from '../../support/raw-client.ts';
import { makeWire } from '../../support/wire.ts';

let wire: WireStage;
let raw: RawClient;
beforeAll(async () => {
  wire = await makeWire();
  raw = await RawClient.ready(wire.addresses[0] ?? '');
  const setUp = 'create table notes (id int8, is_new bool, at timestamptz default now())';
  await wire.admin.run({ text: setUp, params: [], asArrays: false });
});

const FLUSH = message('H');
const parse = (name: string, said: string) => message('P', text(name), text(said), int16(0));
const describe = (kind: 'S' | 'P', name: string) => message('D', text(kind + name));
/** Makes a Bind without parameters. All columns come in the binary format. */
const bind = (name: string) =>
  message('B', text(''), text(name), int16(0), int16(0), int16(1), int16(1));
const execute = message('E', text(''), int32(0));
const query = (said: string) => message('Q', text(said));

/** Plays a session that sends these parts, and waits for an answer after each part. */
async function play(...parts: { send: Buffer[]; until: string }[]) {
  const heard: string[] = [];
  const trial: Trial = {
    setUp: async (admin) => {
      await admin.run({ text: 'truncate notes', params: [], asArrays: false });
    },
    sessions: [
      async () => {
        heard.length = 0;
        for (const { send, until } of parts) {
          raw.send(...send);
          const types = (await raw.until(until)).map(({ type, body }) =>
            type === 'Z' ? `Z${body}` : type,
          );
          heard.push(types.join(''));
        }
      },
    ],
    judge: async () => ({ faults: [], summary: '' }),
  };
  const played = await replay(wire, trial, []);
  return { heard, steps: stepsOf(played), played };
}

const stepsOf = ({ entries }: Played) =>
  entries.flatMap(({ acts }) => acts.map(({ step }) => step.text));

/** Returns the rows of the first step. */
function rowsOf({ entries }: Played): unknown[] {
  const result = entries[0]?.acts[0]?.result;
  return result && 'rows' in result ? [...result.rows] : [];
}

const INSERT = 'insert into notes values (1, true) returning *';

test('a Parse with its own Sync belongs to the same step as its Execute', async () => {
  const { heard, steps, played } = await play(
    { send: [parse('a', INSERT), describe('S', 'a'), SYNC], until: 'Z' },
    { send: [bind('a'), execute, SYNC], until: 'Z' },
    { send: [message('C', text('Sa')), SYNC], until: 'Z' },
  );
  expect(steps).toEqual([INSERT, 'commit']);
  // The client never sees the transaction of the proxy: each state is I, for idle.
  expect(heard).toEqual(['1tTZI', '2DCZI', '3ZI']);
  const at = expect.stringMatching(/^20\d\d-\d\d-\d\dT/);
  expect(rowsOf(played)).toEqual([{ id: 1n, is_new: true, at }]);
});

test('a statement that is only prepared is a step without a result', async () => {
  const { steps } = await play(
    { send: [parse('b', 'select 1 from notes'), SYNC], until: 'Z' },
    { send: [query('select 2 from notes')], until: 'Z' },
  );
  expect(steps).toEqual(['select 1 from notes', 'select 2 from notes']);
});

test('a Parse that ends with Flush belongs to the same step as its Bind and Execute', async () => {
  const { heard, steps } = await play(
    { send: [parse('', INSERT), describe('S', ''), FLUSH], until: 'T' },
    { send: [bind(''), execute, SYNC], until: 'Z' },
  );
  expect(steps).toEqual([INSERT, 'commit']);
  expect(heard).toEqual(['1tT', '2DCZI']);
});

test('statements before one Sync are one step, and fail together', async () => {
  const fails = [parse('', 'select 1 / 0'), bind(''), execute];
  const { heard, steps } = await play(
    { send: [parse('', INSERT), bind(''), execute, ...fails, SYNC], until: 'Z' },
    { send: [query('select from notes')], until: 'Z' },
  );
  expect(steps).toEqual([`${INSERT}; select 1 / 0`, 'select from notes']);
  expect(heard).toEqual(['12DC1EZI', 'TCZI']);
});

test('a BEGIN that a driver sends together with the first statement belongs to the same step', async () => {
  const begin = [parse('', 'BEGIN'), bind(''), execute];
  const { heard, steps } = await play(
    { send: [...begin, parse('', INSERT), bind(''), execute, SYNC], until: 'Z' },
    { send: [query('COMMIT;')], until: 'Z' },
  );
  expect(steps).toEqual([`BEGIN; ${INSERT}`, 'commit']);
  expect(heard).toEqual(['12C12DCZT', 'CZI']);
});

test('a failed transaction stays open until its COMMIT or ROLLBACK', async () => {
  const { heard, steps } = await play(
    { send: [query('begin')], until: 'Z' },
    { send: [query('select 1 / 0')], until: 'Z' },
    { send: [query('/* a comment */ END /* at=12:00 */;')], until: 'Z' },
  );
  expect(heard).toEqual(['CZT', 'EZE', 'CZI']);
  expect(steps).toEqual(['select 1 / 0', 'commit']);
});

test('the proxy declines encryption', async () => {
  const client = RawClient.silent(wire.addresses[0] ?? '');
  client.send(message('', int32(80877103)));
  const [declined] = await new Promise<Buffer[]>((resolve) =>
    client.socket.once('data', (bytes) => resolve([bytes])),
  );
  expect(String(declined)).toBe('N');
  client.socket.destroy();
});
