/** Freezes the process with the id in the argument, until somebody kills this process. */
import { freeze } from '../../src/faults/workers/freeze.ts';

await freeze(Number(process.argv[2]));
process.stdout.write('frozen\n');
setInterval(() => undefined, 60_000);
