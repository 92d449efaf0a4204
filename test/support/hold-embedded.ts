/**
 * Starts a PostgreSQL, prints its home and its address, and runs until a signal kills this process.
 * The argument is the data directory. Without an argument, the data is temporary.
 */
import { startEmbedded } from '../../src/platform/postgres/embedded.ts';

const { home, url } = await startEmbedded(process.argv[2]);
process.stdout.write(`home ${home}\nurl ${url}\n`);
setInterval(() => undefined, 60_000);
