import { runMain, unlessStopped } from '../src/process/main.ts';
import { buildDist } from './dist.ts';

/** `npm run doctor` builds first, and means by 1 that something is wrong in the database. */
const FAILED = 2;

runMain(async (stop) => {
  await unlessStopped(stop, buildDist());
  return 0;
}, FAILED);
