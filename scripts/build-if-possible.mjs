/**
 * This file is the command `npm run build`. It is plain JavaScript, because production has no tsx.
 * In production, the build leaves `dist` as it is. In a deployment without `src`, this file does
 * not run at all (see package.json).
 */
import { existsSync } from 'node:fs';
import './ready.mjs';

/**
 * The exit code after a failure. It is not 1. `npm run doctor` builds first, and the exit code 1 of
 * the doctor means that something is wrong in the database.
 */
const FAILED = 2;

const findCompiler = () =>
  import('tsx').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  });

async function buildIfPossible() {
  if (await findCompiler()) await import('./build.ts');
  else if (existsSync(new URL('../dist/server.js', import.meta.url)))
    process.stderr.write('The compiler is not installed, so dist/ is used as it is.\n');
  else throw 'There is no dist/ and no compiler. Run npm ci and npm run build first.';
}

await buildIfPossible().catch((error) => {
  process.stderr.write(`${error.stack ?? error}\n`);
  process.exitCode = FAILED;
});
