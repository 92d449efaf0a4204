/** Starts a PostgreSQL, on the data in a directory or a throw-away one, says where, and does no more. */
import { startEmbedded } from '../../src/postgres/embedded.ts';

const { home, url } = await startEmbedded(process.argv[2]);
process.stdout.write(`home ${home}\nurl ${url}\n`);
setInterval(() => undefined, 60_000);
