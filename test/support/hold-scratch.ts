/** Makes a scratch database on the server at this address, says its name, and does no more. */
import { openScratch } from '../../src/postgres/scratch.ts';

const { url } = await openScratch(process.argv[2]);
process.stdout.write(`name ${new URL(url).pathname.slice(1)}\n`);
setInterval(() => undefined, 60_000);
