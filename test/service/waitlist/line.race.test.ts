import postgres from 'postgres';
import { expect, test } from 'vitest';
import { judgeLine, type LineEvent } from '../../../proof/faults/judge-line.ts';
import { makeService } from '../../support/app.ts';
import { atEnd } from '../../support/command.ts';
import { makeDatabase } from '../../support/database.ts';

const RECRUITERS = 16;
const ROUNDS = 12;

// Each of these changes makes this test fail: no `for update` in claims/slots.ts, no offers in
// `changeSlots` before the change, `order by id desc` in claims/line.ts.
test('sixteen recruiters join, claim, accept and release on two servers, and nobody is overtaken', async () => {
  const databaseUrl = await makeDatabase();
  const services = [await makeService(databaseUrl), await makeService(databaseUrl)];
  const sql = postgres(databaseUrl, { max: 1 });
  atEnd(() => sql.end());
  const [job] = await sql`
    INSERT INTO jobs (company_id, role, capacity) VALUES (1, 'Race', 2) RETURNING id::int`;
  const jobId = job?.id as number;

  const call = async (recruiterId: number, method: string, path: string, body?: object) => {
    const { url } = services[recruiterId % 2] as { url: string };
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body && {
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    return (await response.json()) as { claims: { id: number; offer?: true }[] };
  };

  /** Claims, or joins if the job is full. Then accepts or declines the offer, and releases. */
  async function goThrough(recruiterId: number) {
    for (let round = 0; round < ROUNDS; round++) {
      await call(recruiterId, 'POST', `/jobs/${jobId}/claims`, { recruiterId });
      await call(recruiterId, 'POST', `/jobs/${jobId}/waitlist`, { recruiterId });
      const { claims } = await call(recruiterId, 'GET', `/recruiters/${recruiterId}/claims`);
      for (const { id, offer } of claims) {
        if (offer && round % 3 > 0) await call(recruiterId, 'POST', `/claims/${id}/accept`, {});
        if (round % 3 < 2) await call(recruiterId, 'DELETE', `/claims/${id}`);
      }
      if (round % 7 === 0)
        await call(recruiterId, 'DELETE', `/jobs/${jobId}/waitlist/${recruiterId}`);
    }
  }
  await Promise.all(Array.from({ length: RECRUITERS }, (_, n) => goThrough(n + 1)));

  const events = await sql<LineEvent[]>`
    SELECT number, kind, recruiter_id AS "recruiterId", capacity, xid::text FROM events
    WHERE job_id = ${jobId} ORDER BY number`;
  expect(judgeLine(events).findings).toEqual([]);
  const kinds = new Set(events.map(({ kind }) => kind));
  for (const kind of ['claimed', 'joined', 'offered', 'accepted', 'declined', 'released'])
    expect(kinds).toContain(kind);
});
