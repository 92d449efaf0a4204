/** Starts a throw-away PostgreSQL, says where it is, and does nothing more. */
import { startEmbedded } from '../../src/db/embedded.ts';

const { home, url } = await startEmbedded();
process.stdout.write(`home ${home}\nurl ${url}\n`);
setInterval(() => undefined, 60_000);
