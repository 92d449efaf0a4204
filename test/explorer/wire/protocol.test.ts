import postgres from 'postgres';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Played, replay } from '../../../src/explorer/explore.ts';
import type { Trial } from '../../../src/explorer/trial.ts';
import type { WireStage } from '../../../src/explorer/wire/stage.ts';
import { atEnd } from '../../support/command.ts';
import { makeWire } from '../../support/wire.ts';

let wire: WireStage;
let sql: postgres.Sql;
beforeAll(async () => {
  wire = await makeWire();
  sql = clientOf(0);
  const admin = (text: string) => wire.admin.run({ text, params: [], asArrays: false });
  await admin('create table notes (id int primary key, said text)');
  await admin('create table parts (id int references notes deferrable initially deferred)');
});

function clientOf(session: number, options: postgres.Options<Record<string, never>> = {}) {
  const client = postgres(wire.addresses[session] ?? '', {
    max: 1,
    fetch_types: false,
    onnotice: () => undefined,
    ...options,
  });
  atEnd(() => client.end({ timeout: 1 }));
  return client;
}

/** Makes a trial with these programs. The tables are empty at the beginning of each schedule. */
const trialOf = (...programs: (() => Promise<unknown>)[]): Trial => ({
  setUp: async (admin) => {
    await admin.run({ text: 'truncate notes, parts', params: [], asArrays: false });
  },
  sessions: programs,
  judge: async (admin) => {
    const text = 'select count(*)::int as n from notes';
    const [row] = await admin.run({ text, params: [], asArrays: false });
    return { faults: [], summary: `${(row as { n: number }).n} notes` };
  },
});

const play = (...programs: (() => Promise<unknown>)[]) => replay(wire, trialOf(...programs), []);

const stepsOf = ({ entries }: Played): string[] =>
  entries.flatMap(({ acts }) => acts.map(({ step }) => step.text));

const answerOf = ({ endings: [ending] }: Played): unknown => {
  if (!ending || !('value' in ending)) return ending;
  return ending.value;
};

const codeOf = (error: unknown) => (error as { code?: string }).code;

describe('the steps of a client', () => {
  test('are the same for a new statement, a cached statement and a simple query', async () => {
    const write = () => sql`insert into notes values (${1}, ${'a'})`;
    const first = await play(write);
    const cached = await play(write);
    const simple = await play(() => sql.unsafe(`insert into notes values (1, 'a')`).simple());
    const insert = 'insert into notes values ($1, $2)';
    expect(stepsOf(first)).toEqual([insert, 'commit']);
    expect(stepsOf(cached)).toEqual([insert, 'commit']);
    expect(stepsOf(simple)).toEqual([`insert into notes values (1, 'a')`, 'commit']);
    for (const played of [first, cached, simple]) expect(played.summary).toBe('1 notes');
    // The rehearsal has already run this statement, so the client sends these values in a Bind.
    expect(first.entries[0]?.acts[0]?.step.params).toEqual(['1', 'a']);
  });

  test('begin with Parse, so an uncached statement waits at the proxy before its Parse', async () => {
    const unprepared = clientOf(0, { prepare: false });
    const played = await play(async () => {
      await unprepared`select ${1}::int as n from notes`;
      return unprepared`select said from notes where id = ${7}`;
    });
    expect(stepsOf(played)).toEqual([
      'select $1::int as n from notes',
      'select said from notes where id = $1',
    ]);
    await unprepared.end();
  });

  test('of a transaction begin with the first statement after BEGIN, and end with COMMIT', async () => {
    const played = await play(() =>
      sql.begin('isolation level repeatable read', async (tx) => {
        await tx`select from notes`;
        await tx.savepoint((inner) => inner`insert into notes values (1, 'a')`);
      }),
    );
    expect(stepsOf(played)).toEqual([
      'select from notes',
      `insert into notes values (1, 'a')`,
      'commit',
    ]);
    expect(played.entries[0]?.acts[0]?.step.isolation).toBe('repeatable read');
  });

  test('come one after the other, if the client does not wait for answers', async () => {
    const played = await play(() =>
      Promise.all([
        sql`select 1 from notes`,
        sql`insert into notes values (2, 'b')`,
        sql`select 3 from notes`,
      ]),
    );
    expect(stepsOf(played)).toEqual([
      'select 1 from notes',
      `insert into notes values (2, 'b')`,
      'commit',
      'select 3 from notes',
    ]);
  });

  test('include a text of several statements as one step', async () => {
    const text = `insert into notes values (1, 'a'); insert into notes values (2, 'b')`;
    const played = await play(() => sql.unsafe(text).simple());
    expect(stepsOf(played)).toEqual([text, 'commit']);
    const whole = `begin; ${text}; commit`;
    expect(stepsOf(await play(() => sql.unsafe(whole).simple()))).toEqual([whole]);
  });

  test('leave out settings, and the questions of a driver about its connection', async () => {
    const played = await play(async () => {
      await sql`set lock_timeout = 0`;
      await sql`show server_version`;
      await sql`select version(), current_schema()`;
      await sql`select b.oid from pg_catalog.pg_type a join pg_catalog.pg_type b on b.oid = a.typelem`;
      return sql`select count(*)::int as n from pg_class where relname = 'notes'`;
    });
    expect(stepsOf(played)).toEqual([
      `select count(*)::int as n from pg_class where relname = 'notes'`,
    ]);
    expect(answerOf(played)).toMatchObject([{ n: 1 }]);
  });

  test('include COPY, and its data passes in both directions', async () => {
    const played = await play(async () => {
      const into = await sql`copy notes from stdin`.writable();
      const ended = new Promise((resolve, reject) =>
        into.on('finish', resolve).on('error', reject),
      );
      into.end('1\ta\n2\tb\n');
      await ended;
      const chunks: string[] = [];
      for await (const chunk of await sql`copy notes to stdout`.readable())
        chunks.push(String(chunk));
      return chunks.join('');
    });
    expect(answerOf(played)).toBe('1\ta\n2\tb\n');
    expect(stepsOf(played)[0]).toBe('copy notes from stdin');
  });
});

describe('an autocommit write', () => {
  const lone = (id: number, table = 'notes') =>
    sql.unsafe(`insert into ${table} (id) values ($1)`, [id]).then(
      () => 'done',
      (error) => codeOf(error),
    );

  test('that fails is one step, and the client goes on', async () => {
    const played = await play(async () => [await lone(1), await lone(1), await lone(2)]);
    expect(answerOf(played)).toEqual(['done', '23505', 'done']);
    expect(played.summary).toBe('2 notes');
  });

  test('whose commit fails gives the error of the commit, and the client goes on', async () => {
    const played = await play(async () => [await lone(9, 'parts'), await lone(2)]);
    expect(answerOf(played)).toEqual(['23503', 'done']);
    const simple = await play(async () => [
      await sql.unsafe('insert into parts values (9)').simple().catch(codeOf),
      await lone(2),
    ]);
    expect(answerOf(simple)).toEqual(['23503', 'done']);
  });

  test('is two steps, so another session may run between the write and the commit', async () => {
    const other = clientOf(1);
    const trial = trialOf(
      () => sql`insert into notes values (1, 'a')`,
      () => other`select from notes`,
    );
    const played = await replay(wire, trial, ['1', '2', '1']);
    expect(played.entries[1]?.acts[0]?.result).toMatchObject({ rows: { length: 0 } });
  });

  test('keeps the isolation level of its session', async () => {
    const strict = clientOf(0, { connection: { default_transaction_isolation: 'serializable' } });
    const level = `(select current_setting('transaction_isolation'))`;
    const played = await play(() =>
      strict.unsafe(`insert into notes values (1, ${level}) returning said`),
    );
    expect(answerOf(played)).toMatchObject([{ said: 'serializable' }]);
    await strict.end();
  });
});

describe('a client', () => {
  test('may cancel a running statement', async () => {
    const played = await play(() => {
      const query = sql`select pg_sleep(60)`;
      const cancelling = setInterval(() => query.cancel(), 100);
      return query.catch(codeOf).finally(() => clearInterval(cancelling));
    });
    expect(answerOf(played)).toBe('57014');
  });

  test('may use several connections, one after the other', async () => {
    const second = clientOf(0);
    const played = await play(() =>
      sql.begin(async (tx) => {
        await tx`insert into notes values (1, 'a')`;
        await second`select from notes`;
      }),
    );
    expect(stepsOf(played)).toEqual([
      `insert into notes values (1, 'a')`,
      'select from notes',
      'commit',
    ]);
    await second.end();
  });

  test('may use several connections at the same time, and their steps come one after the other', async () => {
    const second = clientOf(0);
    const write = (client: postgres.Sql, id: number) =>
      client.begin(async (tx) => {
        await tx`insert into notes values (1, 'a') on conflict do nothing`;
        await tx`insert into notes values (${id}, 'b')`;
      });
    const played = await play(() => Promise.all([write(sql, 2), write(second, 3)]));
    expect([played.faults, played.summary]).toEqual([[], '3 notes']);
    expect(stepsOf(played).filter((step) => step === 'commit')).toHaveLength(2);
    await second.end();
  });

  test('gets an error if it leaves a transaction open', async () => {
    const played = await play(async () => {
      await sql`begin`;
      await sql`select from notes`;
    });
    expect(String((played.endings[0] as { error: unknown }).error)).toContain(
      'S1 has answered, but has left a transaction open',
    );
  });
});
