/**
 * Makes a scratch database on the server at the address in the argument, prints the name of the
 * database, and runs until a signal kills this process.
 */
import { openScratch } from '../../src/platform/postgres/scratch.ts';

const { url } = await openScratch(process.argv[2]);
process.stdout.write(`name ${new URL(url).pathname.slice(1)}\n`);
setInterval(() => undefined, 60_000);
