import { runMain, unlessStopped } from '../src/process/main.ts';
import { buildDist } from './dist.ts';

/**
 * The exit code of a failed build. It is not 1, because `npm run doctor` builds first, and its exit
 * code 1 means that something is wrong in the database.
 */
const FAILED = 2;

runMain(async (stop) => {
  await unlessStopped(stop, buildDist());
  return 0;
}, FAILED);
