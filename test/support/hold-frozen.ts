/** Freezes the process with the id in the argument, until a signal kills this process. */
import { freeze } from '../../proof/faults/workers/faults.ts';

await freeze(Number(process.argv[2]));
process.stdout.write('frozen\n');
setInterval(() => undefined, 60_000);
