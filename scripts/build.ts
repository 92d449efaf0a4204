import { runMain, unlessStopped } from '../src/process/main.ts';
import { buildDist } from './dist.ts';

runMain(async (stop) => {
  await unlessStopped(stop, buildDist());
  return 0;
});
