import { readFileSync } from 'node:fs';
import path from 'node:path';
import postgres from 'postgres';
import { expect, test, vi } from 'vitest';
import { atEnd, type Command, runServer } from '../support/command.ts';
import { makeReceiver } from '../support/receiver.ts';
import { logOf } from '../support/server.ts';
import { makeSmallDisk } from '../support/small-disk.ts';

/**
 * The size of the disk. A new PostgreSQL cluster uses 35 MB. 16 MB of these are the first segment
 * of its write-ahead log.
 */
const DISK_MB = 100;
/** A space that is too small for another segment of PostgreSQL's write-ahead log. */
const LESS_THAN_A_SEGMENT_MB = 4;

/** The claims of this number of recruiters on one job need more than one page of a table. */
const RECRUITERS = 40;

const JSON_BODY = { 'Content-Type': 'application/json' };
async function ask(url: string, method: string, address: string, body?: object) {
  const init = body && { headers: JSON_BODY, body: JSON.stringify(body) };
  const response = await fetch(url + address, { method, ...init });
  return { status: response.status, text: await response.text() };
}
const claim = (url: string, jobId: number, recruiterId: number) =>
  ask(url, 'GET', `/claim-job?jobId=${jobId}&recruiterId=${recruiterId}`);
const urlOf = async (server: Command) => (await server.says(/listens on (\S+)/))[1] ?? '';

const linesOf = ({ stderr }: Command) => stderr().trimEnd().split('\n');
/** Returns the lines on stderr for people, without the lines of the log. */
const wordsOf = (server: Command) => linesOf(server).filter((line) => !line.startsWith('{'));

test.concurrent('while the disk is full, callers get the answer busy, and the log names the disk once', {
  tags: ['mount'],
}, async () => {
  const disk = makeSmallDisk(DISK_MB);
  const server = runServer({ DATA_DIR: path.join(disk.directory, 'data') });
  const url = await urlOf(server);
  disk.fill(0);

  for (let recruiter = 1; recruiter <= 20; recruiter++) {
    const { status, text } = await claim(url, 1, recruiter);
    expect([status, JSON.parse(text).code]).toEqual([503, 'busy']);
  }
  const inLab = [
    await ask(url, 'POST', '/lab/plays', { strategy: 'naive' }),
    await ask(url, 'POST', '/lab/plays', { strategy: 'naive' }),
    await ask(url, 'POST', '/lab/rounds', { strategies: ['naive'] }),
    await ask(url, 'GET', '/lab/explorations?strategy=naive'),
  ];
  expect(JSON.parse(inLab[0]?.text ?? '')).toMatchObject({ status: 503, code: 'busy' });
  for (const { text } of inLab) {
    expect(text).toContain('The lab cannot use its database at the moment. Try again.');
    expect(text).not.toMatch(/127\.0\.0\.1|DATABASE_URL|base\/|PG_VERSION|No space/);
  }

  disk.makeRoom();
  expect((await claim(url, 1, 1)).status).toBe(200);
  server.child.kill('SIGINT');
  expect((await server.ended).code).toBe(0);
  const logged = linesOf(server).map((line) => JSON.parse(line));
  const ofEvent = (name: string) => logged.filter(({ event }) => event === name);
  const cause = /No space left on device\. The disk of the database is full\. Make room there\.$/;
  expect(ofEvent('the database has no room')).toEqual([
    expect.objectContaining({ level: 'error', reason: expect.stringMatching(cause) }),
  ]);
  expect(ofEvent('the database has no room')[0].reason).toContain(`in ${disk.directory}/data: `);
  // Plays, races and explorations use three different databases, so the log names three.
  const ofLab = ofEvent('the lab cannot use its database');
  expect(ofLab).toHaveLength(3);
  for (const { database, reason } of ofLab) {
    expect(database).toContain(disk.directory);
    expect(reason).toMatch(cause);
    expect(reason).not.toContain('DATABASE_URL');
  }
});

test.concurrent('if PostgreSQL has no room for its write-ahead log, the server ends with one line and loses no claim', {
  tags: ['mount'],
}, async () => {
  const disk = makeSmallDisk(DISK_MB);
  const DATA_DIR = path.join(disk.directory, 'data');
  const words = new RegExp(`: no space left on device in ${DATA_DIR}/data\\. Make room there`);
  const first = runServer({ DATA_DIR });
  const url = await urlOf(first);
  for (const recruiter of [1, 2, 3]) expect((await claim(url, 1, recruiter)).status).toBe(200);
  disk.fill(LESS_THAN_A_SEGMENT_MB);
  await endSegment(DATA_DIR);
  const last = await claim(url, 1, 4);
  expect(last.status).toBe(503);
  const { code } = JSON.parse(last.text) as { code: string };
  expect((await first.ended).code).toBe(1);
  expect(wordsOf(first)).toEqual([expect.stringMatching(/^PostgreSQL ended by itself: /)]);
  expect(wordsOf(first)[0]).toMatch(words);
  const stop = logOf(first).find(({ event }) => event === 'stop');
  expect(stop).toMatchObject({ level: 'error', cause: expect.stringMatching(words) });

  const second = runServer({ DATA_DIR });
  expect((await second.ended).code).toBe(1);
  expect(wordsOf(second)).toEqual([expect.stringMatching(/^No embedded PostgreSQL: /)]);
  expect(wordsOf(second)[0]).toMatch(words);

  disk.makeRoom();
  const third = runServer({ DATA_DIR });
  const again = await urlOf(third);
  for (const recruiter of [1, 2, 3]) expect((await claim(again, 1, recruiter)).status).toBe(409);
  // After `busy`, the claim was not made. After `outcome-unknown`, the claim may have been made.
  const possible = code === 'busy' ? [200] : [200, 409];
  expect(possible).toContain((await claim(again, 1, 4)).status);
  third.child.kill('SIGINT');
  expect((await third.ended).code).toBe(0);
});

test.concurrent('the worker goes on when the disk has room again, and the message about each claim arrives', {
  tags: ['mount'],
  timeout: 150_000,
}, async () => {
  const disk = makeSmallDisk(DISK_MB);
  const receiver = await makeReceiver();
  const server = runServer({ DATA_DIR: path.join(disk.directory, 'data') });
  const url = await urlOf(server);
  await ask(url, 'PATCH', '/jobs/1', { capacity: RECRUITERS });
  const types = ['claim.created'];
  await ask(url, 'POST', '/companies/1/endpoints', { url: receiver.url, types });
  const granted: number[] = [];
  const claimAs = async (recruiter: number) => {
    const { status } = await claim(url, 1, recruiter);
    if (status === 200) granted.push(recruiter);
    return status;
  };
  expect(await claimAs(1)).toBe(200);
  await receiver.untilReceived(1);
  disk.fill(0);
  // The claims fit into the existing files until a table needs another page.
  const statuses: number[] = [];
  for (let recruiter = 2; recruiter < RECRUITERS; recruiter++)
    statuses.push(await claimAs(recruiter));
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
  disk.makeRoom();
  expect(await claimAs(RECRUITERS)).toBe(200);
  const arrived = () => receiver.received.map(({ message }) => message.data.claim.recruiter.id);
  await vi.waitFor(() => expect(new Set(arrived())).toEqual(new Set(granted)), 60_000);
  await vi.waitFor(async () => {
    const { text } = await ask(url, 'GET', '/endpoints/1/deliveries?status=waiting');
    expect(JSON.parse(text).deliveries).toEqual([]);
  }, 60_000);
  server.child.kill('SIGINT');
  expect((await server.ended).code).toBe(0);
});

/**
 * Ends the current segment of PostgreSQL's write-ahead log. The next write to this log needs a new
 * segment.
 */
async function endSegment(home: string) {
  const data = path.join(home, 'data');
  const password = readFileSync(path.join(data, 'rowlock-password'), 'utf8');
  const port = readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[3];
  const sql = postgres(`postgres://rowlock:${password}@127.0.0.1:${port}/postgres`, {
    max: 1,
    onnotice: () => undefined,
  });
  atEnd(() => sql.end({ timeout: 0 }));
  await sql`SELECT pg_switch_wal()`;
}
