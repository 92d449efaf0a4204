/** Prints much more than a pipe holds, and ends at once. */
import { runMain } from '../../src/process/main.ts';
import { print } from '../../src/process/print.ts';

runMain(async () => {
  print('0123456789'.repeat(100_000));
  return 3;
});
