import { buildProgram } from '../src/process/build.ts';
import { runMain, unlessStopped } from '../src/process/main.ts';

/** Makes what `npm start` runs. */
runMain(async (stop) => {
  await unlessStopped(stop, buildProgram('src/server.ts'));
  return 0;
});
