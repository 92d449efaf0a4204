/** The server program of the textbook claim. It resembles `server.ts`, but migrates no database. */
import { once } from 'node:events';
import { connect } from '../../src/platform/db/client.ts';
import { openSession } from '../../src/platform/db/session.ts';
import { UsageError } from '../../src/platform/process/errors.ts';
import { openLog } from '../../src/platform/process/log.ts';
import { runMain } from '../../src/platform/process/main.ts';
import { print } from '../../src/platform/process/print.ts';
import { readConfig } from '../../src/service/config/config.ts';
import { listen } from '../../src/service/http/edge/listen.ts';
import { createTextbook } from './http.ts';

const DRAIN_MS = 1_000;

runMain(async (stop) => {
  const { databaseUrl, host, port, logLevel } = readConfig();
  if (databaseUrl === undefined) throw new UsageError('The textbook server needs a DATABASE_URL.');
  // Drizzle over postgres.js prepares no statements by default. Therefore PostgreSQL parses each
  // statement each time.
  const connection = connect(databaseUrl, {
    open: (settings, codecs) => openSession({ ...settings, prepare: false }, codecs),
  });
  const listening = await listen(createTextbook(connection.db, openLog(logLevel)), host, port);
  print(`The textbook listens on ${listening.url}\n`);
  if (!stop.aborted) await once(stop, 'abort');
  await listening.drain(DRAIN_MS);
  await connection.close();
  return 0;
});
