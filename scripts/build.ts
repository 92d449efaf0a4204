import { buildProgram } from '../src/build.ts';
import { runMain, unlessStopped } from '../src/main.ts';

/** Makes what `npm start` runs. */
runMain(async (stop) => {
  await unlessStopped(stop, buildProgram('src/server.ts'));
  return 0;
});
