import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTrack, TRACK_CONNECTIONS, type Track } from '../../../src/lab/race/track.ts';
import { makeLabDatabase } from '../../support/database.ts';

let track: Track;
beforeAll(async () => {
  track = await openTrack(await makeLabDatabase());
});
afterAll(() => track.close());

test('all connections of a track are open before its first race', async () => {
  const [row] = await track.db.execute(
    sql`select count(*)::int as open from pg_stat_activity where datname = current_database()`,
  );
  expect(row).toEqual({ open: TRACK_CONNECTIONS });
});
