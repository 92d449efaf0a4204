/** Prints much more than a pipe holds, and ends immediately. */
import { runMain } from '../../src/platform/process/main.ts';
import { print } from '../../src/platform/process/print.ts';

runMain(async () => {
  print('0123456789'.repeat(100_000));
  return 3;
});
